"""What a run is given and what it tells: the vocabulary between the tool loop and its surroundings.

All JSON values travel as JSON text, as it was written by the model or by the remote.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

CallStatus = Literal[
    "awaiting-approval", "running", "done", "error", "denied", "stopped", "interrupted"
]


@dataclass(frozen=True, slots=True)
class PastCall:
    """A stored call of an earlier turn; it has an outcome, whatever happened to it."""

    remotename: str
    function: str
    args: str
    """JSON text of an object, or what the model wrote where that was unreadable."""
    offset: int
    """Where in the turn's text it stands, in code points."""
    status: CallStatus
    result: str | None = None
    """JSON text, if the call succeeded."""
    error: str | None = None
    """What went wrong, in words."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A stored message of the thread."""

    role: Literal["user", "assistant"]
    content: str
    calls: Sequence[PastCall] = ()
    id: str = ""
    """The message's."""


@dataclass(frozen=True, slots=True)
class RunInput:
    """All that a run needs to know."""

    user_id: int
    thread: str
    remotes: Sequence[str]
    """Names of the remotes switched on in the thread, connected or not."""
    history: Sequence[PastTurn]
    """The shown branch, oldest first; the last one is the user's message to answer."""
    model: str | None = None
    """The thread's choice; None for the default."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The model is about to be asked; told before its first word, and once more if this changes."""

    model: str
    """Its name."""
    history_from: str = ""
    """The message from where on it sees the thread; empty if it sees all of it."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of what the model thinks aloud, which is no part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The model asked for a call; it will have exactly one :class:`CallFinished`."""

    call_id: str
    """Made by us, unguessable; never the model's own id."""
    remotename: str
    """Empty where the model made up a function."""
    function: str
    args: str


@dataclass(frozen=True, slots=True)
class CallChanged:
    """A call waits for approval, runs, or made progress."""

    call_id: str
    status: Literal["awaiting-approval", "running"]
    args: str
    """As they will be sent: a person may have changed them while approving."""
    progress: dict[str, object] | None = None
    """``{progress, total, message}`` as the owner sent it."""


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call's one outcome: ``result`` (JSON text) if it succeeded, else ``error`` and ``code``."""

    call_id: str
    status: Literal["done", "error", "denied", "stopped"]
    duration: float
    """Seconds from the sending of the request, or from the start where nothing was sent."""
    result: str | None = None
    error: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The run's end; the last event."""

    status: Literal["done", "failed"]
    error: str | None = None
    """In words for the person at the page, when it failed or was cut short."""
    model: str | None = None
    """The model that answered."""
    usage: dict[str, int] = field(default_factory=dict)
    """``{prompt, completion, total}`` tokens over all rounds, where the endpoint tells."""


Event = Asked | TextDelta | ReasoningDelta | CallStarted | CallChanged | CallFinished | Finished
