"""Everything that can end or refuse the client's work, the tree on top."""

from collections.abc import Sequence
from typing import Any


class RemotesError(Exception):
    """Something that a person can act on; its text is one plain sentence."""


class AddressError(RemotesError):
    """The server's address can't be understood."""


class TokenError(RemotesError):
    """There is no token, or the server does not accept it; trying again won't help."""


class ServerError(RemotesError):
    """The server answers, but it can't serve this client or refuses what it offers."""


class ServerAwayError(RemotesError):
    """The server can't be reached, or the connection broke; trying again may help.

    Attributes:
        retry_after: Seconds after which the server asked to be tried again, if it did.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NameLostError(RemotesError):
    """The remote's name was taken over by another program, or disconnected by its user."""


class FileError(RemotesError):
    """A file of functions can't be served."""


class CallError(RemotesError):
    """The server answered a request with an error.

    Attributes:
        code: The protocol's code, such as ``invalid-args``.
        details: Objects ``{"path": ..., "message": ...}``, one a fault.
    """

    def __init__(self, code: str, message: str, details: Sequence[Any] = ()) -> None:
        faults = [text for text in map(_fault, details) if text not in message]
        super().__init__(" ".join([f"{message} ({code})", *(f"[{fault}]" for fault in faults)]))
        self.code = code
        self.details = list(details)


def _fault(detail: Any) -> str:
    if isinstance(detail, dict):
        return ": ".join(str(detail[key]) for key in ("path", "message") if detail.get(key))
    return str(detail)
