"""Every limit and every deadline of the product, named with its unit.

``settings.REMOTES_LIMITS`` overrides any of them by name.
"""

from typing import Any

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

KIB = 1024  # bytes
MIB = 1024 * KIB  # bytes
SERVER_FRAME = 4 * MIB  # bytes of a message that the server program takes or sends


class Limits(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The figures that the protocol promises and the server keeps."""

    frame: int = 960 * KIB
    """Bytes of one frame from a client."""
    frame_out: int = MIB
    """Bytes of one frame to a client."""
    depth: int = 128
    """Levels of nesting in a frame, the envelope being 1."""
    sockets: int = 64
    """Open sockets of one user."""
    remotes: int = 64
    """Remotes of one user."""
    functions: int = 256
    """Functions of one remote."""
    definition: int = 64 * KIB
    """Bytes of one function's definition."""
    in_flight: int = 1024
    """Calls of one user that wait for their outcome."""
    in_flight_per_remote: int = 256
    """Calls that wait on one remote."""
    frames_per_second: int = 200
    """Frames that a socket may send in the long run, each second."""
    burst: int = 1000
    """Frames that a socket may send at once."""
    ordered: int = 128
    """Requests of one socket that wait for the one before them to be served."""
    refusals: int = 100
    """Rate-limited frames without a pause after which the socket is closed."""
    refusal_pause: float = 0.5
    """Seconds of silence that make the server forget earlier refusals."""
    outbox: int = 16 * MIB
    """Bytes that may wait for a client which reads slower than it is sent to."""
    outbox_room: int = MIB
    """Bytes that wait for a client above which its next requests wait too."""
    error: int = 64 * KIB
    """Bytes of an owner's error, as JSON, that are passed on."""
    progress: int = 1000
    """Code points of a progress message that are passed on."""
    name: int = 128
    """Code points of a name."""
    id: int = 128
    """Characters of an envelope's id."""
    content: int = 256 * KIB
    """Bytes of one chat message that a user writes."""
    tools: int = 128
    """Functions that a model is offered in one request."""
    description: int = 1024
    """Characters of a function's description that a model is shown."""
    answer: int = 32 * KIB
    """Bytes of a call's result or error that a model is shown."""
    preview: int = 16 * KIB
    """Bytes of a call's arguments or result that a call object carries whole."""
    call_timeout: float = 30.0
    """Seconds that a function may take unless it or the caller says otherwise."""
    call_timeout_max: float = 600.0
    """Seconds that any call may take."""
    approval_timeout: float = 600.0
    """Seconds that a call waits for a person's approval."""
    heartbeat_interval: float = 10.0
    """Seconds of an owner's silence before it is asked for a sign of life."""
    heartbeat_timeout: float = 20.0
    """Seconds of an owner's silence before its socket is closed."""
    credential_check: float = 30.0
    """Seconds between two looks at whether the open sockets' credentials still hold."""
    drain: float = 8.0
    """Seconds that running work gets to end when the server stops."""


def _from_settings() -> Limits:
    overrides: dict[str, Any] = getattr(settings, "REMOTES_LIMITS", {})
    unknown = set(overrides) - set(Limits.__struct_fields__)
    if unknown:
        raise _wrong(f"it has unknown names: {', '.join(sorted(unknown))}")
    wire = dict(zip(Limits.__struct_fields__, Limits.__struct_encode_fields__, strict=True))
    try:
        chosen = msgspec.convert({wire[name]: overrides[name] for name in overrides}, Limits)
    except msgspec.ValidationError as error:
        raise _wrong(str(error)) from error
    too_small = [name for name in overrides if getattr(chosen, name) <= 0]
    if too_small:
        raise _wrong(f"{', '.join(too_small)} must be above 0")
    if not chosen.frame < chosen.frame_out <= SERVER_FRAME:
        raise _wrong(f"frame must be below frame_out, and that at most {SERVER_FRAME}")
    return chosen


def _wrong(reason: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"REMOTES_LIMITS can't be used: {reason}.")


limits = _from_settings()

ANNOUNCED = (
    "frame",
    "frame_out",
    "depth",
    "sockets",
    "remotes",
    "functions",
    "definition",
    "in_flight",
    "in_flight_per_remote",
    "frames_per_second",
    "burst",
    "content",
)
"""The limits that ``welcome`` tells a client."""


def announced() -> dict[str, object]:
    """The limits that a client should know, by their names on the wire."""
    wire = msgspec.to_builtins(limits)
    names = dict(zip(Limits.__struct_fields__, Limits.__struct_encode_fields__, strict=True))
    return {names[name]: wire[names[name]] for name in ANNOUNCED}
