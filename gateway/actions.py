"""The registry of actions: what a client may ask for, and which handler serves it.

An app declares its actions in a module called ``actions``; all are found at start.
"""

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from gateway.sessions import Session

Reply = Mapping[str, object] | None
"""A reply's payload; ``None`` where the protocol has no reply."""

Handler = Callable[["Session", Any], Awaitable[Reply]]
InlineHandler = Callable[["Session", Any], Reply]


class Scope(enum.StrEnum):
    """What a token with scopes must hold for an action."""

    SERVE = "serve"
    """Connect remotes and answer their calls."""
    CALL = "call"
    """List and call remotes."""
    CHAT = "chat"
    """Read and write threads."""


class Empty(msgspec.Struct):
    """The payload of an action that takes none."""


@dataclass(frozen=True, slots=True)
class Action:
    """One entry of the registry."""

    name: str
    payload: type[msgspec.Struct]
    handler: Handler | None
    inline: InlineHandler | None
    ordered: bool
    scope: Scope | None
    reply: str
    """The reply's action: the request's own, but for ``remote-call``."""
    exempt: Callable[["Session", Any], bool] | None
    """Says whether a frame answers something pending, and so does not count against the rate."""


registry: dict[str, Action] = {}


def action(
    name: str,
    payload: type[msgspec.Struct],
    *,
    scope: Scope | None = None,
    ordered: bool = False,
    reply: str | None = None,
    exempt: Callable[["Session", Any], bool] | None = None,
) -> Callable[[Handler], Handler]:
    """Serve ``name`` with the decorated coroutine, in a task of its session.

    Args:
        payload: The struct that the frame's payload is checked against.
        scope: What a token with scopes must hold.
        ordered: Whether the session's frames of this kind run one after another.
        reply: The reply's action where it is not the request's.
        exempt: See :class:`Action`.
    """

    def register(handler: Handler) -> Handler:
        _add(Action(name, payload, handler, None, ordered, scope, reply or name, exempt))
        return handler

    return register


def inline_action(
    name: str,
    payload: type[msgspec.Struct],
    *,
    scope: Scope | None = None,
    exempt: Callable[["Session", Any], bool] | None = None,
) -> Callable[[InlineHandler], InlineHandler]:
    """Serve ``name`` with the decorated function, at once and without a task: it never waits."""

    def register(handler: InlineHandler) -> InlineHandler:
        _add(Action(name, payload, None, handler, False, scope, name, exempt))
        return handler

    return register


def _add(entry: Action) -> None:
    if entry.name in registry:
        raise ValueError(f"The action {entry.name} is declared twice.")
    registry[entry.name] = entry
