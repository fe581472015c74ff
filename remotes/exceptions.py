"""What can go wrong with a remote or a call, with the protocol's codes."""

from gateway.exceptions import ActionError

MAY_HAVE_RUN = "It may have run all the same."


class RemoteError(ActionError):
    """The function itself failed; the text is the remote's own."""

    code = "remote-error"


class InvalidArgsError(ActionError):
    """The arguments do not fit the function's schema; nothing was sent."""

    code = "invalid-args"


class RemoteNotFoundError(ActionError):
    """The user has no remote of that name connected; nothing was sent."""

    code = "remote-not-found"

    def __init__(self, remotename: str) -> None:
        super().__init__(f"No remote called {remotename!r} is connected.")


class FunctionNotFoundError(ActionError):
    """The remote is connected but has no such function; nothing was sent."""

    code = "function-not-found"

    def __init__(self, remotename: str, function: str) -> None:
        super().__init__(f"The remote {remotename!r} has no function {function!r}.")


class CallNotFoundError(ActionError):
    """No call of this user with that id waits for this."""

    code = "call-not-found"


class RemoteTimeoutError(ActionError):
    """The remote gave no result in time."""

    code = "timeout"

    def __init__(self, function: str, seconds: float) -> None:
        super().__init__(f"{function} gave no result within {seconds:g} s. {MAY_HAVE_RUN}")


class RemoteClosedError(ActionError):
    """The session serving the remote ended before the result came."""

    code = "remote-disconnected"

    def __init__(self, remotename: str, *, sent: bool = True) -> None:
        when = f"during the call. {MAY_HAVE_RUN}" if sent else "before the call was sent."
        super().__init__(f"The remote {remotename!r} disconnected {when}")


class CancelledCallError(ActionError):
    """The call was cancelled by whoever made it."""

    code = "cancelled"

    def __init__(self, function: str, *, sent: bool = True) -> None:
        when = MAY_HAVE_RUN if sent else "Nothing was sent."
        super().__init__(f"{function} was cancelled. {when}")


class DeniedError(ActionError):
    """A person did not approve the call; nothing was sent."""

    code = "denied"
