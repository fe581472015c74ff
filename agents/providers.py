"""How a model is asked and how its failures read; the one place that speaks to openai."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, cast
from weakref import WeakKeyDictionary

import httpx2
import openai

from agents import demo, sse
from agents.endpoints import DEMO, Endpoint, Model, ModelError, configured, default_name, setting
from agents.history import Message
from agents.streams import Turn

CONNECT_TIMEOUT = 5.0  # seconds
SEND_TIMEOUT = 60.0  # seconds for a free connection, and for a part of the request
RETRIES = 2  # more tries, as long as no answer has begun
DRAIN_TIMEOUT = 0.1  # seconds that the end of a finished stream may take, to keep the connection
REASON_LENGTH = 300  # characters of an endpoint's own words that are shown
KEPT = "What it had said is kept."

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Endpoint, openai.AsyncOpenAI]] = (
    WeakKeyDictionary()
)


async def choose(wanted: str | None) -> Model:
    """The model to use: ``wanted`` by the thread, or the one that the environment names.

    Raises:
        ModelError: The settings do not say enough, or the endpoint does not.
    """
    endpoint = configured()
    if endpoint is None or wanted == demo.NAME:
        return Model(demo.NAME, DEMO)
    name = wanted or default_name()
    return Model(name or await _first_model(endpoint), endpoint)


async def stream_turn(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, object]],
    turn: Turn,
) -> AsyncGenerator[str]:
    """Ask the model once: its text comes in pieces, everything is put into the new ``turn``.

    Closing the generator, or cancelling the task, ends the request.

    Raises:
        ModelError: There is no answer, or it broke off; text yielded before stands.
    """
    request: Any = {
        "model": model.name,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if tools:
        request["tools"] = tools
    ask = _client(model.endpoint).chat.completions.with_streaming_response.create
    with _plain_errors(model):
        async with ask(**request) as response, aclosing(_chunks(model, response)) as chunks:
            async for chunk in chunks:
                turn.done = turn.done or chunk is None
                if text := turn.add(chunk):
                    yield text
    if text := turn.close():
        yield text


async def close() -> None:
    """Close the connections that this event loop's runs have used."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.close()


def _client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if endpoint not in clients:
        clients[endpoint] = _demo_client() if endpoint is DEMO else _new_client(endpoint)
    return clients[endpoint]


def _new_client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=endpoint.api_key or "none",  # the SDK insists on one, local servers do not
        base_url=endpoint.base_url,
        timeout=httpx2.Timeout(SEND_TIMEOUT, connect=CONNECT_TIMEOUT, read=endpoint.silence),
        max_retries=RETRIES,
    )


def _demo_client() -> openai.AsyncOpenAI:
    http_client = openai.DefaultAsyncHttpx2Client(transport=demo.Transport())
    return openai.AsyncOpenAI(
        api_key=DEMO.api_key, base_url=DEMO.base_url, max_retries=0, http_client=http_client
    )


async def _first_model(endpoint: Endpoint) -> str:
    """The first of the models that the endpoint lists; a local server often has just one."""
    if not setting("OPENAI_BASE_URL"):
        raise ModelError("No model is chosen. Set OPENAI_MODEL to the name of one.")
    unknown = ModelError(
        f"The endpoint at {endpoint.address} does not say which models it has. Set OPENAI_MODEL "
        "to the name of one, and check OPENAI_BASE_URL, which usually ends in /v1."
    )
    try:
        answer = await _client(endpoint).get("/models", cast_to=httpx2.Response)
        names = [entry["id"] for entry in answer.json()["data"]]
        return str(names[0])
    except openai.APIConnectionError as error:
        raise ModelError(_unreachable(error, endpoint)) from error
    except openai.AuthenticationError as error:
        raise ModelError(_refused_key(endpoint)) from error
    except (openai.APIStatusError, ValueError, LookupError, TypeError) as error:
        raise unknown from error


# What an endpoint sends


async def _chunks(model: Model, response: openai.AsyncAPIResponse[Any]) -> AsyncGenerator[object]:
    """The decoded chunks of an answer; None where the endpoint marks its end."""
    kind = response.headers.get("content-type", "")
    if "html" in kind:
        raise ModelError(
            f"{model.endpoint.address} answered with a web page, not as an API. "
            "Check OPENAI_BASE_URL, which usually ends in /v1."
        )
    if "json" in kind:  # the endpoint does not stream
        yield _decoded(model, await response.text())
        yield None
        return
    body = response.http_response.aiter_bytes()
    async with aclosing(sse.events(body)) as events:
        async for data in events:
            if data.strip() == "[DONE]":
                yield None
                await _drain(events)
                return
            yield _decoded(model, data)


async def _drain(events: AsyncGenerator[str]) -> None:
    """Read to the stream's end if that is near, so that the connection can be used again."""
    try:
        async with asyncio.timeout(DRAIN_TIMEOUT):
            async for _ in events:
                pass
    except (TimeoutError, httpx2.RequestError):
        return


def _decoded(model: Model, data: str) -> object:
    try:
        chunk = json.loads(data)
    except ValueError as error:
        raise ModelError(
            f"{model.endpoint.address} sent something that is no JSON. "
            "Check that OPENAI_BASE_URL is the address of an OpenAI-compatible API."
        ) from error
    if isinstance(chunk, dict) and (chunk.get("error") or chunk.get("object") == "error"):
        fault = chunk.get("error") or chunk
        words = fault.get("message") if isinstance(fault, dict) else fault
        raise ModelError(f"The model reported an error: {_quoted(model, words)}")
    return cast("object", chunk)


# Failures in plain words


@contextmanager
def _plain_errors(model: Model) -> Iterator[None]:
    try:
        yield
    except openai.APIStatusError as error:
        raise ModelError(_refusal(error, model)) from error
    except openai.APIConnectionError as error:
        raise ModelError(_unreachable(error, model.endpoint)) from error
    except openai.OpenAIError as error:
        raise ModelError(f"The model could not be asked: {_quoted(model, error)}") from error
    except httpx2.TimeoutException as error:
        raise ModelError(
            f"The model sent nothing for {model.endpoint.silence:g} s, so the answer was given up. "
            f"{KEPT}"
        ) from error
    except httpx2.RequestError as error:
        raise ModelError(
            f"The connection to the model broke off in the middle of the answer. {KEPT}"
        ) from error


def _refusal(error: openai.APIStatusError, model: Model) -> str:
    where = model.endpoint.address
    match error.status_code:
        case 401 | 403:
            return _refused_key(model.endpoint)
        case 404:
            return (
                f"{where} knows no model {model.name!r}, or is not the address of the API. "
                "Check OPENAI_MODEL, and OPENAI_BASE_URL, which usually ends in /v1."
            )
        case 429 if error.code == "insufficient_quota":
            return f"The account at {where} has no quota left. See to it there, then send again."
        case 429:
            return f"The endpoint at {where} has too much to do now. Wait a moment and send again."
        case status if status >= 500:
            return f"The endpoint at {where} failed (HTTP {status}). Send again later."
        case status:
            words = _quoted(model, _words(error))
            return f"The endpoint at {where} refused the request (HTTP {status}): {words}"


def _refused_key(endpoint: Endpoint) -> str:
    if not endpoint.api_key:
        return f"The endpoint at {endpoint.address} wants a key. Set OPENAI_API_KEY."
    return f"The endpoint at {endpoint.address} does not accept the key. Check OPENAI_API_KEY."


def _unreachable(error: openai.APIConnectionError, endpoint: Endpoint) -> str:
    if isinstance(error, openai.APITimeoutError) and not _while_connecting(error):
        return f"The endpoint at {endpoint.address} gave no answer in time. Send again later."
    return (
        f"No model can be reached at {endpoint.address}. "
        "Check that it is running and that OPENAI_BASE_URL is right."
    )


def _while_connecting(error: openai.APITimeoutError) -> bool:
    return isinstance(error.__cause__, httpx2.ConnectTimeout)


def _words(error: openai.APIStatusError) -> object:
    body = error.body
    return body.get("message") if isinstance(body, dict) else body


def _quoted(model: Model, words: object) -> str:
    """An endpoint's own words, in one line, cut, and without the key."""
    text = " ".join(str(words or "it gave no reason.").split())
    if model.endpoint.api_key:
        text = text.replace(model.endpoint.api_key, "…")
    return text if len(text) <= REASON_LENGTH else f"{text[:REASON_LENGTH]}…"
