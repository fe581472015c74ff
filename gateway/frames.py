"""The envelope: strict decoding of what clients send, encoding of what they are sent."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import msgspec

from gateway.exceptions import (
    ActionError,
    Detail,
    InvalidFrameError,
    InvalidJsonError,
    InvalidPayloadError,
    TooLargeError,
)
from gateway.limits import limits

T = TypeVar("T", bound=msgspec.Struct)

QUOTED = 300  # characters of a fault, or of the path to it, that an error quotes
ECHOED = 128  # characters of an unknown action that an error repeats


@dataclass(frozen=True, slots=True)
class Frame:
    """A request's envelope; ``payload`` is the JSON text as the client wrote it."""

    action: str
    payload: msgspec.Raw
    id: str | None


class FrameError(Exception):
    """A message that is no request, with what an error reply may repeat of it."""

    def __init__(self, error: ActionError, action: str | None = None, id: str | None = None):
        super().__init__(error.message)
        self.error = error
        self.action = action
        self.id = id


class _Envelope(msgspec.Struct):
    payload: msgspec.Raw


_EMPTY = msgspec.Raw(b"{}")
_envelope = msgspec.json.Decoder(_Envelope)
_encoder = msgspec.json.Encoder()


def decode(data: str | bytes) -> Frame:
    """Read one WebSocket message as a request.

    Raises:
        FrameError: The message is too large, no strict JSON, or no envelope.
    """
    try:
        text = checked_text(data)
        value = strict_json(text)
    except ActionError as error:
        raise FrameError(error) from error
    if not isinstance(value, dict):
        raise FrameError(InvalidFrameError("A frame is a JSON object with an action."))
    id_, action = value.get("id"), value.get("action")
    known_id = id_ if isinstance(id_, str) and len(id_) <= limits.id else None
    if not isinstance(action, str):
        raise FrameError(InvalidFrameError("action must be a string."), None, known_id)
    if id_ is not None and known_id is None:
        message = f"id must be a string of at most {limits.id} characters."
        raise FrameError(InvalidFrameError(message), action[:ECHOED])
    absent = value.get("payload") is None
    payload = _EMPTY if absent else _envelope.decode(text).payload
    return Frame(action, payload, known_id)


def checked_text(data: str | bytes) -> str:
    """The message as text within the size limit, lone surrogates replaced by U+FFFD.

    Raises:
        TooLargeError: It is longer than ``limits.frame``.
        InvalidJsonError: A binary message is not UTF-8.
    """
    size = size_of(data)
    if size > limits.frame:
        raise TooLargeError(f"A frame may have {limits.frame} bytes; this one has {size}.")
    if isinstance(data, bytes):
        try:
            data = data.decode()
        except UnicodeDecodeError as error:
            raise InvalidJsonError(f"The message is not UTF-8: {error.reason}.") from error
    return _without_lone_surrogates(data)


def size_of(data: str | bytes) -> int:
    """The bytes that a message takes on the wire."""
    return len(data) if isinstance(data, bytes) or data.isascii() else len(data.encode())


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_PAIRS = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def _without_lone_surrogates(text: str) -> str:
    if not _SURROGATE.search(text):
        return text
    return _PAIRS.sub(lambda match: match[1] or "\\ufffd", text)


def strict_json(text: str) -> object:
    """The value of ``text`` if it is JSON as docs/protocol.md wants it.

    Raises:
        InvalidJsonError: It says what is wrong and where.
    """
    try:
        value: object = _strict.decode(text)
    except RecursionError as error:
        raise _too_deep() from error
    except json.JSONDecodeError as error:
        raise InvalidJsonError(f"No JSON: {error.msg} at character {error.pos}.") from error
    except ValueError as error:
        raise InvalidJsonError("An integer has more digits than 4,300.") from error
    if text.count("[") + text.count("{") > limits.depth:
        _check_depth(value)
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise InvalidJsonError(f"The key {_repeated(pairs)[:40]!r} stands twice in one object.")
    return result


def _repeated(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    raise ValueError("No key is repeated.")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise InvalidJsonError(f"The number {digits[:40]} is too large.")
    return number


def _no_constant(name: str) -> NoReturn:
    raise InvalidJsonError(f"{name} is not JSON.")


_strict = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant
)


def _too_deep() -> InvalidJsonError:
    return InvalidJsonError(f"The message is nested deeper than {limits.depth} levels.")


def _check_depth(value: object) -> None:
    level: list[Any] = [value]
    for _ in range(limits.depth):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def payload_of(frame: Frame, kind: type[T]) -> T:
    """The frame's payload as ``kind``.

    Raises:
        InvalidPayloadError: A field is missing or of a wrong type; the details name it.
    """
    try:
        return msgspec.json.decode(frame.payload, type=kind)
    except msgspec.DecodeError as error:
        message, _, path = str(error).partition(" - at `$")
        message = message[:QUOTED]
        path = path.rstrip("`").lstrip(".").replace("[", ".").replace("]", "")[:QUOTED]
        where = f"{path}: " if path else ""
        details: list[Detail] = [{"path": path, "message": message}]
        raise InvalidPayloadError(f"{where}{message}.", details) from error


def encode(action: str, payload: Mapping[str, object], id: str | None = None) -> str:
    """One frame to a client: a reply where ``id`` is given, else an event.

    Values of type :class:`msgspec.Raw` stand in it as they are.
    """
    frame: dict[str, object] = {"action": action}
    if id is not None:
        frame["id"] = id
    frame["payload"] = payload
    return _encoder.encode(frame).decode()


def encode_error(error: ActionError, action: str | None, id: str | None) -> str:
    """The frame that tells a client why its request is not served."""
    payload: dict[str, object] = {"action": action, "code": error.code, "message": error.message}
    if error.details:
        payload["details"] = error.details
    return encode("error", payload, id)


def detail(path: str, message: str) -> Sequence[Detail]:
    """The details of an error with one fault."""
    return [{"path": path, "message": message}]
