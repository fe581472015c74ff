"""The demo model: a script that stands in for a language model until one is set up.

It is served to the same client as real models are, over a transport that never leaves this
process, as an OpenAI-compatible endpoint that streams. What it says is written in
``agents.demo_script``.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator

import httpx2

from agents import demo_script
from agents.demo_script import Reply

NAME = "demo"
WINDOW = 1_000_000  # tokens; a script reads whatever a thread holds


class Transport(httpx2.AsyncBaseTransport):
    """Answers each request for a chat completion itself, streaming as a server would."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See httpx2."""
        body = json.loads(await request.aread())
        reply = demo_script.reply(body["messages"], body.get("tools", []))
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, stream=_Stream(_events(reply)))


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        self._events = events

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._events

    async def aclose(self) -> None:
        await self._events.aclose()


async def _events(reply: Reply) -> AsyncGenerator[bytes]:
    yield _chunk({"role": "assistant", "content": ""})
    for word in reply.words():
        await asyncio.sleep(reply.delay)
        yield _chunk({"content": word})
    if reply.failure:
        yield _event({"error": {"message": reply.failure, "type": "demo_error"}})
        return
    for index, call in enumerate(reply.calls):
        function = {"name": call.tool, "arguments": json.dumps(call.args, ensure_ascii=False)}
        entry = {"index": index, "id": f"demo{index}", "type": "function", "function": function}
        yield _chunk({"tool_calls": [entry]})
    yield _chunk({}, "tool_calls" if reply.calls else "stop")
    yield b"data: [DONE]\n\n"


def _chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"object": "chat.completion.chunk", "model": NAME, "choices": [choice]})


def _event(data: dict[str, object]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"
