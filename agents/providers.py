"""How a model is asked: one request, tried again where that helps, and its answer as it comes."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any, cast

import httpx2
import openai

from agents import failures, sse
from agents.clients import client_for
from agents.endpoints import Endpoint, Model, ModelError
from agents.events import ReasoningDelta, TextDelta
from agents.history import Message
from agents.retries import Retries
from agents.streams import Turn

DRAIN_TIMEOUT = 0.1  # seconds that the end of a finished stream may take, to keep the connection

Response = openai.AsyncAPIResponse[Any]

_counts_no_tokens: set[Endpoint] = set()
"""Those that refuse to be asked for usage."""


async def stream_turn(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, object]],
    turn: Turn,
) -> AsyncGenerator[TextDelta | ReasoningDelta | None]:
    """Ask the model once: what it says and thinks comes in pieces, all is put into ``turn``.

    None is a sign of life with nothing in it. Closing the generator, or cancelling the task, ends
    the request.

    Raises:
        TooLongError: The conversation is longer than the model can read; nothing was yielded.
        ModelError: There is no answer, or it broke off; what was yielded before stands.
    """
    request: dict[str, Any] = {"model": model.name, "messages": messages, "stream": True}
    if tools:
        request["tools"] = tools
    with failures.plain(model):
        async with AsyncExitStack() as stack:
            response = await _answer(stack, model.endpoint, request)
            chunks = await stack.enter_async_context(aclosing(_chunks(model, response)))
            async for chunk in chunks:
                turn.done = turn.done or chunk is None
                thought, text = turn.add(chunk)
                if thought:
                    yield ReasoningDelta(thought)
                yield TextDelta(text) if text else None
    thought, text = turn.close()
    if thought:
        yield ReasoningDelta(thought)
    if text:
        yield TextDelta(text)


async def _answer(stack: AsyncExitStack, endpoint: Endpoint, request: dict[str, Any]) -> Response:
    """The answer once it begins; ``stack`` ends it."""
    ask = client_for(endpoint).chat.completions.with_streaming_response.create
    retries = Retries()
    while True:
        counted = {} if endpoint in _counts_no_tokens else _COUNTED
        try:
            return await stack.enter_async_context(ask(**request, **counted))
        except openai.APIError as error:
            if counted and _refuses_usage(error):
                _counts_no_tokens.add(endpoint)
                continue
            delay = retries.delay(error)
            if delay is None:
                raise
        await asyncio.sleep(delay)


_COUNTED: dict[str, Any] = {"stream_options": {"include_usage": True}}


def _refuses_usage(error: openai.APIError) -> bool:
    refused = isinstance(error, openai.APIStatusError) and 400 <= error.status_code < 500
    return refused and "stream_options" in f"{error} {error.body}"


# What an endpoint sends


async def _chunks(model: Model, response: Response) -> AsyncGenerator[object]:
    """The decoded chunks of an answer; None where the endpoint marks its end."""
    kind = response.headers.get("content-type", "")
    if "html" in kind:
        raise ModelError(failures.web_page(model.endpoint))
    body = response.http_response.aiter_bytes()
    if "json" in kind:  # the endpoint does not stream
        yield _decoded(model, await _whole(body))
        yield None
        return
    async with aclosing(sse.events(body)) as events:
        async for data in events:
            if data == sse.COMMENT:
                yield {}
            elif data.strip() == "[DONE]":
                yield None
                await _drain(events)
                return
            else:
                yield _decoded(model, data)


async def _whole(body: AsyncIterable[bytes]) -> str:
    read = bytearray()
    async for piece in body:
        read += piece
        if len(read) > sse.EVENT_SIZE:
            raise sse.EndlessEventError
    return read.decode(errors="replace")


async def _drain(events: AsyncGenerator[str]) -> None:
    """Read to the stream's end if that is near, so that the connection can be used again."""
    try:
        async with asyncio.timeout(DRAIN_TIMEOUT):
            async for _ in events:
                pass
    except (TimeoutError, httpx2.RequestError, sse.EndlessEventError):
        return


def _decoded(model: Model, data: str) -> object:
    try:
        chunk = json.loads(data)
    except ValueError as error:
        raise ModelError(
            f"{model.endpoint.address} sent something that is no JSON. "
            f"Check {model.endpoint.address_setting}: it is to be an OpenAI-compatible API."
        ) from error
    if isinstance(chunk, dict) and (chunk.get("error") or chunk.get("object") == "error"):
        raise failures.reported(model, chunk.get("error") or chunk)
    return cast("object", chunk)
