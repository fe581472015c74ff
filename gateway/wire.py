"""Objects of the protocol that more than one app sends."""

from typing import Literal

import msgspec

from gateway import frames
from gateway.exceptions import InvalidJsonError
from gateway.limits import limits
from gateway.texts import beginning

CallStatus = Literal[
    "awaiting-approval", "running", "done", "error", "denied", "stopped", "interrupted"
]


def call_object(
    id: str,
    remotename: str,
    function: str,
    args: str,
    *,
    status: CallStatus,
    result: str | None = None,
    error: str | None = None,
    code: str | None = None,
    duration: float | None = None,
    offset: int = 0,
    progress: dict[str, object] | None = None,
    room: int | None = None,
) -> dict[str, object]:
    """A call, as the protocol shows it.

    Args:
        args, result: JSON text, which stands in the object as it is. Where one has more than
            ``room`` bytes, a string with its beginning stands there instead, and ``argsCut`` or
            ``resultCut`` says so. Arguments that a model wrote and that are no JSON are a string.
        error: In words; cut alike, with ``errorCut``.
        duration: Seconds.
        offset: The call's place in its message's text, in code points.
        room: Bytes for each of the texts; ``limits.preview`` when left out.
    """
    room = limits.preview if room is None else room
    call: dict[str, object] = {
        "id": id,
        "remotename": remotename,
        "function": function[: limits.name],
        "status": status,
        "offset": offset,
    }
    _put_json(call, "args", args, room)
    if result is not None:
        _put_json(call, "result", result, room)
    if error is not None:
        _put_text(call, "error", error, room)
    optional = {"code": code, "duration": duration, "progress": progress}
    call.update({name: value for name, value in optional.items() if value is not None})
    return call


def _put_json(call: dict[str, object], part: str, text: str, room: int) -> None:
    encoded = text.encode()
    if len(encoded) <= room and _is_json(text):
        call[part] = msgspec.Raw(encoded)
    else:
        _put_text(call, part, text, room)


def _put_text(call: dict[str, object], part: str, text: str, room: int) -> None:
    """Show a text whole, or its beginning where it is too long."""
    call[part] = beginning(text, room)
    if call[part] != text:
        call[f"{part}Cut"] = True


def _is_json(text: str) -> bool:
    try:
        frames.strict_json(text)
    except InvalidJsonError:
        return False
    return True
