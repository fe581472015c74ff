"""A remote's connection: the functions it offers and the calls that wait for its answer."""

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

import msgspec

from gateway import frames
from gateway.exceptions import ActionError, BusyError, TooLargeError
from gateway.limits import limits
from gateway.sessions import Session
from remotes.exceptions import (
    CancelledCallError,
    DeniedError,
    FunctionNotFoundError,
    RemoteClosedError,
    RemoteTimeoutError,
)
from remotes.functions import RemoteFunction

Progress = dict[str, object]
"""``{progress, total, message}`` as the owner sent it."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's consent to one call: to this definition, with these arguments (JSON text)."""

    digest: str
    args: str


class PendingCall:
    """A call that was sent and waits for its answer."""

    def __init__(self, function: str, timeout: float, on_progress: Callable[[Progress], None]):
        self.function = function
        self.timeout = timeout
        self.outcome: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.outcome.add_done_callback(_seen)
        self._on_progress = on_progress
        self._timer: asyncio.TimerHandle | None = None
        self._started = monotonic()

    def start_deadline(self) -> None:
        """Let the deadline run from now."""
        self._started = monotonic()
        self._set_timer(self.timeout)

    def progressed(self, progress: Progress) -> None:
        """Tell the caller, and set the deadline anew, within what any call may take."""
        if self.outcome.done():
            return
        left = self._started + limits.call_timeout_max - monotonic()
        self._set_timer(min(self.timeout, left))
        self._on_progress(progress)

    def succeed(self, result: str) -> None:
        """End the call with the JSON text of its result, if it has not ended."""
        if not self.outcome.done():
            self.outcome.set_result(result)

    def fail(self, error: ActionError) -> None:
        """End the call with an error, if it has not ended."""
        if not self.outcome.done():
            self.outcome.set_exception(error)

    def forget(self) -> None:
        """Drop the deadline of a call that has ended."""
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self, seconds: float) -> None:
        self.forget()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        self.fail(RemoteTimeoutError(self.function, self.timeout))


def _seen(outcome: asyncio.Future[str]) -> None:
    """Keep the log free of an error that nobody reads, since the request could not be written."""
    if not outcome.cancelled():
        outcome.exception()


awaited: dict[str, "RemoteConnection"] = {}
"""Which connection waits for the answer to which requestId."""


class RemoteConnection:
    """A remote of one user, served by one session.

    Attributes:
        user_id: Whose remote it is.
        name: The remote's name, unique for its user.
        session: The socket that serves it, its owner.
        functions: What it offers, by name.
        title, description, client: As the owner tells, for the user.
        pending: The calls that wait for an answer, by requestId.
    """

    def __init__(
        self,
        session: Session,
        name: str,
        functions: Iterable[RemoteFunction],
        *,
        title: str = "",
        description: str = "",
        client: Mapping[str, str] | None = None,
    ) -> None:
        self.user_id = session.user_id
        self.name = name
        self.session = session
        self.functions = {function.name: function for function in functions}
        self.title = title
        self.description = description
        self.client = dict(client or {})
        self.connected_at = datetime.now(UTC)
        self.pending: dict[str, PendingCall] = {}

    def redefine(self, other: "RemoteConnection") -> None:
        """Offer what ``other``, of the same session, offers; calls in flight go on."""
        self.functions = other.functions
        self.title = other.title
        self.description = other.description
        self.client = other.client

    def function(self, name: str) -> RemoteFunction:
        """The function called ``name``.

        Raises:
            FunctionNotFoundError: There is none.
        """
        try:
            return self.functions[name]
        except KeyError:
            raise FunctionNotFoundError(self.name, name) from None

    async def call(
        self,
        function: str,
        args: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the protocol's word
        grant: Grant | None = None,
        on_pending: Callable[[PendingCall], None] = lambda pending: None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> str:
        """Have the remote run ``function`` and wait for its result.

        This is the one place where a request is written, so it is also where a function that needs
        a person's approval is refused without one.

        Args:
            function: Name of one of :attr:`functions`.
            args: JSON text of an object, checked against the function's parameters by the caller.
            timeout: Seconds to wait; the function's own, 30 by default, when left out.
            grant: The approval, for a function with ``confirm``.
            on_pending: Gets the pending call, through which it can be made to fail.
        Returns:
            The JSON text that the remote sent back, as it wrote it.
        Raises:
            FunctionNotFoundError, DeniedError, BusyError, TooLargeError: Nothing was sent.
            RemoteTimeoutError: No result came in time.
            RemoteClosedError: The session serving the remote ended meanwhile.
            RemoteError: The function failed.
        """
        entry = self.function(function)
        if entry.confirm and grant != Grant(entry.digest, args):
            raise DeniedError(f"{function} runs only when a person approves it.")
        if len(self.pending) >= limits.in_flight_per_remote:
            raise BusyError(f"{self.name} has {limits.in_flight_per_remote} calls under way.")
        seconds = timeout or entry.timeout
        request_id = secrets.token_urlsafe(16)
        frame = self._request(request_id, function, args, seconds)
        pending = PendingCall(function, seconds, on_progress)
        self.pending[request_id] = pending
        awaited[request_id] = self
        on_pending(pending)
        try:
            await self._send(frame, pending)
            return await pending.outcome
        except asyncio.CancelledError:
            self._tell_cancelled(request_id, "The call was stopped.")
            raise
        except (RemoteTimeoutError, CancelledCallError) as error:
            self._tell_cancelled(request_id, error.message)
            raise
        finally:
            pending.forget()
            del self.pending[request_id], awaited[request_id]

    def _request(self, request_id: str, function: str, args: str, seconds: float) -> str:
        payload = {
            "requestId": request_id,
            "remotename": self.name,
            "function": function,
            "args": msgspec.Raw(args.encode()),
            "deadline": seconds,
        }
        frame = frames.encode("remote-call", payload)
        if len(frame) > limits.frame_out or len(frame.encode()) > limits.frame_out:
            raise TooLargeError(
                f"The arguments are larger than a frame to {self.name} may be "
                f"({limits.frame_out} bytes); nothing was sent."
            )
        return frame

    async def _send(self, frame: str, pending: PendingCall) -> None:
        try:
            async with asyncio.timeout(pending.timeout):
                await self.session.write(frame)
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise RemoteTimeoutError(pending.function, pending.timeout) from error
            raise RemoteClosedError(self.name) from error
        pending.start_deadline()

    def _tell_cancelled(self, request_id: str, reason: str) -> None:
        self.session.post("remote-call-cancel", {"requestId": request_id, "reason": reason})

    def close(self, error: ActionError | None = None) -> None:
        """Fail every pending call, with ``error`` or for the session's end."""
        for pending in list(self.pending.values()):
            pending.fail(error or RemoteClosedError(self.name))


def pending_of(session: Session, request_id: str) -> PendingCall | None:
    """The call that ``session`` was asked under ``request_id`` and has not answered."""
    connection = awaited.get(request_id)
    if connection is None or connection.session is not session:
        return None
    return connection.pending[request_id]
