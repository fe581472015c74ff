"""Chunks of a streamed chat completion, as servers really send them, put together to one turn.

Servers leave out, repeat, null or misnumber nearly every field; nothing in a chunk is taken for
granted, and what makes no sense is passed over.
"""

import json
import re
from dataclasses import dataclass, field
from typing import cast

from agents import thoughts
from agents.endpoints import ModelError
from gateway import frames
from gateway.exceptions import ActionError, InvalidJsonError
from gateway.limits import MIB, limits

ARGUMENTS_SIZE = MIB  # code points of one call's arguments

CUT_OFF = frozenset({"length", "content_filter"})
"""The finish reasons with which a model is stopped before it has said all."""


@dataclass(slots=True)
class ModelCall:
    """A call that the model asks for."""

    id: str
    """The model's own id; may be empty, or the same as another's."""
    index: int | None
    name: str = ""
    arguments: str = ""
    """JSON text as the model wrote it, ``{}`` where it wrote nothing."""


@dataclass(slots=True)
class Turn:
    """What one request to the model has brought so far."""

    reasoning_field: str = "reasoning_content"
    """Under which name the server sent what the model thought aloud."""
    calls: list[ModelCall] = field(default_factory=list)
    finish: str = ""
    """The finish reason, if the server gave one."""
    done: bool = False
    """Whether the server marked the stream's end with ``[DONE]``."""
    usage: dict[str, int] = field(default_factory=dict)
    """``{prompt, completion, total}`` tokens, if the server tells."""
    _texts: list[str] = field(default_factory=list)
    _thoughts: list[str] = field(default_factory=list)
    _tags: thoughts.ThinkTags = field(default_factory=thoughts.ThinkTags)
    _said: "_Pairs" = field(init=False)
    _thought: "_Pairs" = field(init=False)

    def __post_init__(self) -> None:
        self._said, self._thought = _Pairs(), _Pairs()

    @property
    def text(self) -> str:
        """The answer."""
        return "".join(self._texts)

    @property
    def reasoning(self) -> str:
        """What the model thought aloud; no part of the answer."""
        return "".join(self._thoughts)

    @property
    def broken_off(self) -> bool:
        """Whether the stream ended without a word about its end."""
        return not self.finish and not self.done

    @property
    def cut_off(self) -> bool:
        """Whether the stream ended before the model had said all."""
        return self.finish in CUT_OFF or self.broken_off

    def add(self, chunk: object) -> tuple[str, str]:
        """Take one decoded chunk; returns what it adds to the reasoning and to the text.

        Raises:
            ModelError: A call's arguments are longer than ``ARGUMENTS_SIZE``.
        """
        entry = _object(chunk)
        self._count(_object(entry.get("usage")))
        choice = _object(_first(entry.get("choices")))
        delta = _object(choice.get("delta") or choice.get("message"))
        self.finish = _string(choice.get("finish_reason")) or self.finish
        for part in _list(delta.get("tool_calls")):
            self._call(_object(part))
        thought, said = thoughts.parts(delta.get("content") or delta.get("refusal"))
        return self._take(self._field(delta) + thought, self._said.take(said))

    def close(self) -> tuple[str, str]:
        """Settle what was still open at the stream's end; returns what that adds, as ``add``."""
        self.calls = [call for call in self.calls if call.name]
        for call in self.calls:
            if call.arguments.strip() in ("", "null"):
                call.arguments = "{}"
            call.arguments = _clean(call.arguments)
        tagged, said = self._tags.take(self._said.rest())
        more, rest = self._tags.close()
        return self._keep(self._thought.rest() + tagged + more, said + rest)

    def _take(self, thought: str, said: str) -> tuple[str, str]:
        tagged, said = self._tags.take(said) if said else ("", "")
        return self._keep(self._thought.take(thought) + tagged, said)

    def _keep(self, thought: str, said: str) -> tuple[str, str]:
        if thought:
            self._thoughts.append(thought)
        if said:
            self._texts.append(said)
        return thought, said

    def _field(self, delta: dict[str, object]) -> str:
        """The thoughts that a delta has in a field of their own."""
        for name in ("reasoning_content", "reasoning"):
            if thought := _string(delta.get(name)):
                self.reasoning_field = name
                return thought
        return ""

    def _count(self, usage: dict[str, object]) -> None:
        for kind in ("prompt", "completion", "total"):
            tokens = usage.get(f"{kind}_tokens")
            if isinstance(tokens, int):
                self.usage[kind] = tokens

    def _call(self, part: dict[str, object]) -> None:
        function = _object(part.get("function"))
        id, name = _string(part.get("id")), _string(function.get("name"))[: limits.name]
        arguments = _arguments(function.get("arguments"))
        index = part.get("index")
        number = index if isinstance(index, int) else None
        call = self._find(id, number)
        if call is not None and _said_again(call, id, arguments):
            return
        if call is None or (name and _another(call, id, name, arguments)):
            call = ModelCall(id, number)
            self.calls.append(call)
        call.id = call.id or id
        call.name = call.name or name
        call.arguments += arguments
        if len(call.arguments) > ARGUMENTS_SIZE:
            raise ModelError(
                f"The model wrote more than {ARGUMENTS_SIZE // MIB} MiB of arguments for one call, "
                "so its answer was given up. Ask for less at once."
            )

    def _find(self, id: str, index: int | None) -> ModelCall | None:
        """The call that a part with this id and index continues; the latest, where several fit.

        Servers give every call of a turn the index 0, or no index; the same id, or none.
        """
        for call in reversed(self.calls):
            same_place = index is None or call.index is None or call.index == index
            if same_place and (not id or not call.id or call.id == id):
                return call
        return None


def read_arguments(text: str) -> dict[str, object]:
    """The JSON object that a call's arguments spell.

    Raises:
        ActionError: They are no strict JSON, or no object; the message says what is wrong.
    """
    value = frames.strict_json(frames.checked_text(text))
    if not isinstance(value, dict):
        raise InvalidJsonError("It is no JSON object.")
    return value


def _said_again(call: ModelCall, id: str, arguments: str) -> bool:
    """Whether a part repeats the whole of ``call``, as some servers do at the end."""
    return id != "" and id == call.id and arguments == call.arguments and _is_whole(arguments)


def _another(call: ModelCall, id: str, name: str, arguments: str) -> bool:
    """Whether a part that seems to continue ``call`` names a new one instead.

    Nothing can follow a whole object, so a part that brings more is another call.
    """
    renamed = not id and call.name not in ("", name)
    return renamed or (arguments.strip() != "" and _is_whole(call.arguments))


def _is_whole(arguments: str) -> bool:
    if not arguments.rstrip().endswith("}"):
        return False
    try:
        read_arguments(arguments)
    except ActionError:
        return False
    return True


def _arguments(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else _string(value)


class _Pairs:
    """A text in pieces whose surrogate pairs are joined, also where a piece ends inside one."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, text: str) -> str:
        """``text`` after what was held back before; the half pair at its end is held back."""
        if not text:
            return ""
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        return _clean(text[: len(text) - len(self._half)])

    def rest(self) -> str:
        """What is held back."""
        rest, self._half = _clean(self._half), ""
        return rest


_LONE = re.compile("[\x00\ud800-\udfff]")


def _clean(text: str) -> str:
    """``text`` as databases and encoders take it: U+FFFD for NUL and for half pairs."""
    if not _LONE.search(text):
        return text
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.replace("\0", "\ufffd")


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _first(value: object) -> object:
    return next(iter(_list(value)), None)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
