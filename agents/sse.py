"""Server-sent events as model endpoints write them: bytes in, the data of each event out.

The format is https://html.spec.whatwg.org/multipage/server-sent-events.html, of which only
``data`` matters here; an event that the end of the stream cuts short still counts. Comments are
told as well: they are how an endpoint shows that it is still at it.
"""

from collections.abc import AsyncGenerator, AsyncIterable

from gateway.limits import MIB

EVENT_SIZE = 4 * MIB  # bytes of a line, and code points of an event's data

COMMENT = ""
"""What is yielded for a comment, and for an event without data."""


class EndlessEventError(Exception):
    """An event is longer than any that a model has reason to send."""


async def events(body: AsyncIterable[bytes]) -> AsyncGenerator[str]:
    """The data of each event in ``body``, however the bytes are cut into pieces.

    Raises:
        EndlessEventError: A line, or the data of an event, is longer than ``EVENT_SIZE``.
    """
    data: list[str] = []
    size = 0
    async for line in _lines(body):
        if not line:
            if data:
                yield "\n".join(data)
            data, size = [], 0
        elif line == "data" or line.startswith("data:"):
            size = _bounded(size + len(line))
            data.append(line[5:].removeprefix(" "))
        elif line.startswith(":"):
            yield COMMENT
    if data:
        yield "\n".join(data)


async def _lines(body: AsyncIterable[bytes]) -> AsyncGenerator[str]:
    line: list[bytes] = []
    size = 0
    after_return = False
    async for piece in body:
        # The LF of a line's CRLF may come with the next piece.
        rest = piece.removeprefix(b"\n") if after_return else piece
        after_return = piece.endswith(b"\r")
        for part in rest.splitlines(keepends=True):
            line.append(part)
            size = _bounded(size + len(part))
            if part.endswith((b"\n", b"\r")):
                yield _text(b"".join(line))
                line, size = [], 0
    if line:
        yield _text(b"".join(line))


def _bounded(size: int) -> int:
    if size > EVENT_SIZE:
        raise EndlessEventError
    return size


def _text(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode(errors="replace").removeprefix("\ufeff")
