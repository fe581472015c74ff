"""Server-sent events as model endpoints write them: bytes in, the data of each event out.

The format is https://html.spec.whatwg.org/multipage/server-sent-events.html, of which only
``data`` matters here; an event that the end of the stream cuts short still counts. Comments are
told as well: they are how an endpoint shows that it is still at it.
"""

from collections.abc import AsyncGenerator, AsyncIterable

COMMENT = ""
"""What is yielded for a comment, and for an event without data."""


async def events(body: AsyncIterable[bytes]) -> AsyncGenerator[str]:
    """The data of each event in ``body``, however the bytes are cut into pieces."""
    data: list[str] = []
    async for line in _lines(body):
        if not line:
            if data:
                yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line == "data":
            data.append("")
        elif line.startswith(":"):
            yield COMMENT
    if data:
        yield "\n".join(data)


async def _lines(body: AsyncIterable[bytes]) -> AsyncGenerator[str]:
    rest = b""
    async for piece in body:
        lines = (rest + piece).splitlines(keepends=True)
        rest = b""
        # What ends in a lone CR waits too: its LF may come with the next piece.
        if lines and not lines[-1].endswith(b"\n"):
            rest = lines.pop()
        for line in lines:
            yield _text(line)
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode(errors="replace").removeprefix("\ufeff")
