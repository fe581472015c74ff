"""What can go wrong with threads; another user's thing is as unknown as one that never was."""

from gateway.exceptions import ActionError


class ThreadNotFoundError(ActionError):
    """The user has no thread with that id."""

    code = "thread-not-found"

    def __init__(self) -> None:
        super().__init__("There is no such thread; it may have been deleted.")


class MessageNotFoundError(ActionError):
    """The user has no message with that id, or the thread does not show it."""

    code = "message-not-found"

    def __init__(self) -> None:
        super().__init__("There is no such message here.")
