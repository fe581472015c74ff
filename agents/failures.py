"""How the failures of a model's endpoint read: each is one or two sentences for the person."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import openai

from agents import sse
from agents.endpoints import Endpoint, Model, ModelError, RefusedError, TooLongError
from agents.retries import asked_delay
from gateway.limits import MIB

REASON_LENGTH = 300  # characters of an endpoint's own words that are shown
KEPT = "What it had said is kept."

_TOO_LONG = re.compile(
    r"context.(?:length|size|window)|maximum model length|prompt is too long"
    r"|maximum number of tokens",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:maximum (?:context|model) length(?: is| of|:)? |context length of only |n_ctx\"?: ?)(\d+)"
    r"|> (\d+) maximum"
)

NO_CALLS = {
    "does not support tools": "it has not learnt it.",
    "enable-auto-tool-choice": (
        "vLLM must be started with --enable-auto-tool-choice and --tool-call-parser for that."
    ),
    "requires --jinja": "llama.cpp must be started with --jinja for that.",
}
"""What servers say when a model is offered functions that it can't call, and what that means."""


@contextmanager
def plain(model: Model) -> Iterator[None]:
    """Turn whatever the client raises while a model is asked into a :class:`ModelError`."""
    try:
        yield
    except openai.APIStatusError as error:
        raise _refusal(error, model) from error
    except openai.APIConnectionError as error:
        raise ModelError(unreachable(error, model.endpoint)) from error
    except openai.OpenAIError as error:
        raise ModelError(
            f"The model could not be asked: {quoted(model.endpoint, error)}"
        ) from error
    except httpx2.TimeoutException as error:
        raise ModelError(
            f"The model sent nothing for {model.endpoint.silence:g} s, so the answer was given up. "
            f"{KEPT}"
        ) from error
    except sse.EndlessEventError as error:
        raise ModelError(
            f"The model sent more than {sse.EVENT_SIZE // MIB} MiB in one piece, so the answer was "
            f"given up. {KEPT}"
        ) from error
    except httpx2.RequestError as error:
        raise ModelError(
            f"The connection to the model broke off in the middle of the answer. {KEPT}"
        ) from error


def refused_key(endpoint: Endpoint) -> str:
    """The endpoint wants a key, or another one."""
    if not endpoint.api_key:
        return f"The endpoint at {endpoint.address} wants a key. Set {endpoint.key_setting}."
    return (
        f"The endpoint at {endpoint.address} does not accept the key. Check {endpoint.key_setting}."
    )


def unreachable(error: openai.APIConnectionError, endpoint: Endpoint) -> str:
    """There is no connection, or no answer over it."""
    connecting = isinstance(error.__cause__, httpx2.ConnectTimeout)
    if isinstance(error, openai.APITimeoutError) and not connecting:
        return (
            f"The endpoint at {endpoint.address} gave no answer within {endpoint.silence:g} s. "
            "It may still be loading the model; send again later."
        )
    return (
        f"No model can be reached at {endpoint.address}. "
        f"Check that it is running, and {endpoint.address_setting}."
    )


def web_page(endpoint: Endpoint) -> str:
    """Something else than an API answers there."""
    return (
        f"{endpoint.address} answered with a web page, not as an API. "
        f"Check {endpoint.address_setting}; an address usually ends in /v1."
    )


def quoted(endpoint: Endpoint, words: object) -> str:
    """An endpoint's own words, in one line, cut, and without the key."""
    text = " ".join(str(words or "it gave no reason.").split())
    if endpoint.api_key:
        text = text.replace(endpoint.api_key, "…")
    return text if len(text) <= REASON_LENGTH else f"{text[:REASON_LENGTH]}…"


def words_of(error: openai.APIStatusError) -> object:
    """What an endpoint said of its refusal."""
    body = error.body
    return body.get("message") if isinstance(body, dict) else body


def reported(model: Model, fault: object) -> ModelError:
    """The error that stands in an answer's place, as an object of the API's or as text."""
    words = fault.get("message") if isinstance(fault, dict) else fault
    if _TOO_LONG.search(f"{fault}"):
        return _too_long(model, json.dumps(fault, default=str))
    return _without_calls(model, words) or ModelError(
        f"The model reported an error: {quoted(model.endpoint, words)}"
    )


def _refusal(error: openai.APIStatusError, model: Model) -> ModelError:
    told = f"{words_of(error)} {error.response.text}"
    if error.status_code not in (401, 403, 404, 429) and _TOO_LONG.search(told):
        return _too_long(model, told)
    if (without := _without_calls(model, told)) is not None:
        return without
    sentence = _sentence(error, model)
    return RefusedError(sentence, told) if error.status_code in (400, 422) else ModelError(sentence)


def _too_long(model: Model, told: str) -> TooLongError:
    found = _LIMIT.search(told)
    return TooLongError(
        f"The conversation is too long for {model.name}, even shortened. "
        "Start a new thread, or switch off remotes with many functions.",
        int(next(filter(None, found.groups()))) if found else None,
    )


def _without_calls(model: Model, told: object) -> ModelError | None:
    for said, meaning in NO_CALLS.items():
        if said in str(told):
            return ModelError(
                f"{model.name} was offered functions, but can't call them: {meaning} "
                "Choose another model for this thread, or switch its remotes off."
            )
    return None


def _sentence(error: openai.APIStatusError, model: Model) -> str:
    endpoint = model.endpoint
    where = endpoint.address
    match error.status_code:
        case 401 | 403:
            return refused_key(endpoint)
        case 404:
            return (
                f"{where} knows no model {model.name!r}, or is not the address of an API. Choose "
                f"another model for this thread, or check {endpoint.model_setting} and "
                f"{endpoint.address_setting}; an address usually ends in /v1."
            )
        case 429 if error.code == "insufficient_quota":
            return f"The account at {where} has no quota left. See to it there, then send again."
        case 429:
            wait = f"{delay:.0f} s" if (delay := asked_delay(error)) >= 1 else "a moment"
            return f"The endpoint at {where} has too much to do now. Wait {wait} and send again."
        case status if status >= 500:
            return f"The endpoint at {where} failed (HTTP {status}). Send again later."
        case status:
            said = quoted(endpoint, words_of(error))
            return f"The endpoint at {where} refused the request (HTTP {status}): {said}"
