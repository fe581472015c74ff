"""The errors that a frame can be answered with, as one tree with the protocol's codes."""

from collections.abc import Sequence
from typing import ClassVar, TypedDict


class Detail(TypedDict):
    """One fault inside a payload: where it is (``functions.0.name``) and what was expected."""

    path: str
    message: str


class ActionError(Exception):
    """A request that cannot be served; ``code`` is protocol, the text is for whoever can act.

    Subclasses name the cases. The consumer turns each into an ``error`` frame, and the agent's
    tool loop into the text that the model reads.
    """

    code: ClassVar[str]

    def __init__(self, message: str, details: Sequence[Detail] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.details = list(details)


class InvalidJsonError(ActionError):
    """The message is not strict JSON within the limits."""

    code = "invalid-json"


class InvalidFrameError(ActionError):
    """The message is JSON, but not an envelope."""

    code = "invalid-frame"


class UnknownActionError(ActionError):
    """No action has that name."""

    code = "unknown-action"


class InvalidPayloadError(ActionError):
    """The payload's fields are not what the action takes."""

    code = "invalid-payload"


class TooLargeError(ActionError):
    """Something is larger than its limit."""

    code = "too-large"


class TooManyError(ActionError):
    """One more of something than its limit allows."""

    code = "too-many"


class BusyError(ActionError):
    """Something is under way that does not admit a second; surely nothing was done."""

    code = "busy"


class RateLimitedError(ActionError):
    """The socket sends frames faster than its limit."""

    code = "rate-limited"


class UnavailableError(ActionError):
    """A backing service is down."""

    code = "unavailable"


class UnauthenticatedError(ActionError):
    """The socket has no credential that holds."""

    code = "unauthenticated"


class ForbiddenScopeError(ActionError):
    """The socket's credential does not reach as far as this action."""

    code = "forbidden-scope"


class InternalError(ActionError):
    """The server failed; the trace is in its log."""

    code = "internal"
