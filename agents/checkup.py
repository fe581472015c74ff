"""Whether a model can be used here: asked for a line and for one call, with what is missing said.

The command ``check_model`` and the page for staff both show these findings.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass
from time import monotonic

from agents import catalog, configuration, demo, providers, streams
from agents.endpoints import DEMO, Endpoint, Model, ModelError
from agents.events import PastTurn, TextDelta
from agents.history import AnsweredCall, Conversation
from agents.streams import Turn
from gateway.exceptions import ActionError

PATIENCE = 60.0  # seconds for each of the questions
SHOWN = 200  # characters of an answer
LINE = "Say hello in one short sentence."
CALL = "Use check__add with a = 17 and b = 25, then tell the sum."
ADD = {
    "type": "function",
    "function": {
        "name": "check__add",
        "description": "Add two whole numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried."""

    what: str
    good: bool
    text: str
    """What was seen, or what is missing, in a sentence or two."""


async def findings(
    endpoint: str | None = None, model: str | None = None
) -> AsyncGenerator[Finding]:
    """Try a model, step by step; the last finding is the first bad one, if there is one.

    Args:
        endpoint: Its endpoint's name; None: any.
        model: Its id, or its name at the endpoint; None: the default.
    """
    try:
        chosen = await _choose(endpoint, model)
    except ModelError as error:
        yield Finding("Settings", False, str(error))
        return
    yield Finding(
        "Settings",
        True,
        f"{chosen.name} at {chosen.endpoint.title}, with a window of {chosen.window} tokens"
        f"{' and images' if chosen.images else ''}.",
    )
    if chosen.endpoint is not DEMO:
        yield await _listing(chosen)
    for what, try_out in (("Streaming", _line), ("A call", _call)):
        finding = await _tried(what, try_out(chosen))
        yield finding
        if not finding.good:
            return


async def _choose(endpoint: str | None, model: str | None) -> Model:
    if endpoint is None or model == demo.NAME:
        return await catalog.choose(model)
    there = _endpoint(endpoint)
    return catalog.model_at(there, model) if model else await catalog.first_at(there)


def _endpoint(name: str) -> Endpoint:
    endpoints = configuration.read().endpoints
    for endpoint in endpoints:
        if name in (endpoint.name, endpoint.title):
            return endpoint
    known = ", ".join(endpoint.title for endpoint in endpoints) or "none"
    raise ModelError(f"No endpoint is called {name!r}. Those there are: {known}.")


async def _listing(model: Model) -> Finding:
    listing = await catalog.names(model.endpoint)
    if listing.fault:
        return Finding("List of models", False, listing.fault)
    number = len(listing.names)
    there = "is one of them" if model.name in listing.names else "is none of them by that name"
    return Finding("List of models", True, f"{number} can be chosen; {model.name} {there}.")


async def _tried(what: str, attempt: Coroutine[None, None, tuple[bool, str]]) -> Finding:
    try:
        async with asyncio.timeout(PATIENCE):
            good, text = await attempt
    except TimeoutError:
        good, text = False, f"There was no whole answer within {PATIENCE:g} s."
    except ModelError as error:
        good, text = False, str(error)
    return Finding(what, good, text)


async def _line(model: Model) -> tuple[bool, str]:
    """Whether it says a line, in pieces."""
    turn, began, pieces, wait = Turn(), monotonic(), 0, 0.0
    async for piece in providers.stream_turn(model, _asking(LINE).messages, [], turn):
        if isinstance(piece, TextDelta):
            wait = wait or monotonic() - began
            pieces += 1
    said = _quoted(turn.text)
    if not said:
        thought = " It only thought aloud." if turn.reasoning else ""
        return False, f"It answered without a word.{thought}"
    if turn.cut_off:
        return False, f"It was cut off after: {said}"
    if pieces == 1:
        return True, f"{said} (in one piece after {wait:.1f} s: this endpoint may not stream)"
    return True, f"{said} (first word after {wait:.1f} s, {pieces} pieces{_counted(turn)})"


async def _call(model: Model) -> tuple[bool, str]:
    """Whether it asks for a call, and answers with the result."""
    conversation = _asking(CALL)
    turn = await _answer(model, conversation, Turn())
    if not turn.calls:
        return False, (
            f"It did not call the function, but said: {_quoted(turn.text) or 'nothing'} "
            "Choose a model that can call functions; in a chat it can only talk."
        )
    asked = turn.calls[0]
    try:
        args = streams.read_arguments(asked.arguments)
    except ActionError as error:
        return False, f"Its arguments can't be read. {error.message} {_quoted(asked.arguments)}"
    called = f"{asked.name}({_quoted(asked.arguments)})"
    if (asked.name, args) != ("check__add", {"a": 17, "b": 25}):
        return False, f"It called {called} instead of check__add with 17 and 25."
    conversation.add(turn.text, [AnsweredCall(asked.name, asked.arguments, "42", asked.id)])
    said = _quoted((await _answer(model, conversation, Turn())).text)
    return bool(said), f"{called}, then: {said or 'nothing about the result.'}"


async def _answer(model: Model, conversation: Conversation, turn: Turn) -> Turn:
    async for _ in providers.stream_turn(model, conversation.messages, [ADD], turn):
        pass
    return turn


def _asking(question: str) -> Conversation:
    return Conversation("You answer in one sentence.", [PastTurn("user", question)])


def _counted(turn: Turn) -> str:
    total = turn.usage.get("total")
    return f", {total} tokens" if total else ", no count of tokens"


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
