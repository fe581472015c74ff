"""The calls that run on one connection, and what a running function can say and ask."""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from remotes_client.console import show_failure
from remotes_client.errors import RemotesError
from remotes_client.functions import ArgumentError, BusyError, Function
from remotes_client.results import MAX_DEPTH, ResultError, encode

MAX_ERROR = 4_000  # characters of an error that reach the caller
MAX_FRAME = 960 * 1024  # bytes, where the server names no other limit
FRAME_MARGIN = 1_024  # bytes for what stands around a result in its frame
FRAME_LEVELS = 2  # the envelope and its payload, around every result
PROGRESS_INTERVAL = 0.05  # seconds between two frames of one call
_current: contextvars.ContextVar["Call"] = contextvars.ContextVar("remotes_call")

Send = Callable[[str], Awaitable[None]]


def progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Tell the caller how far the running function is; this also starts its timeout afresh.

    Outside a call it does nothing.

    Args:
        done: How much is done, in any unit.
        total: How much there is to do, in the same unit, if that is known.
        message: A few words on what happens now.
    """
    call = _current.get(None)
    if call is not None:
        call.report({"progress": done, "total": total, "message": message})


def cancelled() -> bool:
    """Whether nobody waits any longer for the running function, which may then return at once."""
    call = _current.get(None)
    return call is not None and call.is_cancelled


class Call:
    """One call of a function that runs here."""

    def __init__(self, request_id: str, send: Send) -> None:
        self.is_cancelled = False
        self._request_id = request_id
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._waiting: str | None = None  # the newest progress that is not sent yet
        self._next_progress = 0.0  # the loop's time
        self._sending: asyncio.Task[None] | None = None

    def report(self, progress: Mapping[str, Any]) -> None:
        """Send progress soon, from any thread; newer progress replaces what still waits."""
        said = {key: value for key, value in progress.items() if value is not None}
        text = self._frame("remote-call-progress", encode(said)[1:-1])
        with self._lock:
            is_first = self._waiting is None
            self._waiting = text
        if is_first and not self.is_cancelled:
            self._loop.call_soon_threadsafe(self._send_progress_soon)

    async def finish(self, outcome: str) -> None:
        """Send the call's one outcome, a JSON member such as ``"result":5``, after its progress."""
        await self._send_progress()
        await self._send_unless_cancelled(self._frame("remote-call-result", outcome))

    def _send_progress_soon(self) -> None:
        pause = max(0.0, self._next_progress - self._loop.time())
        self._next_progress = self._loop.time() + pause + PROGRESS_INTERVAL
        self._loop.call_later(pause, self._start_sending)

    def _start_sending(self) -> None:
        self._sending = self._loop.create_task(self._send_progress())

    async def _send_progress(self) -> None:
        with self._lock:
            text, self._waiting = self._waiting, None
        if text is not None:
            await self._send_unless_cancelled(text)

    async def _send_unless_cancelled(self, text: str) -> None:
        if not self.is_cancelled:
            with contextlib.suppress(RemotesError):  # who asked is told by the server
                await self._send(text)

    def _frame(self, action: str, members: str) -> str:
        identity = f'"requestId":{encode(self._request_id)}'
        return f'{{"action":"{action}","payload":{{{identity},{members}}}}}'


class Calls:
    """The calls of one remote that run on one connection.

    Args:
        functions: What can be called, by name.
        send: Sends a frame's text.
        limits: The server's, from ``welcome``.
    """

    def __init__(
        self, functions: Mapping[str, Function], send: Send, limits: Mapping[str, Any]
    ) -> None:
        self._functions = functions
        self._send = send
        self._room = int(limits.get("depth", MAX_DEPTH)) - FRAME_LEVELS
        self._max_frame = int(limits.get("frame", MAX_FRAME))
        self._running: dict[str, tuple[Call, asyncio.Task[None]]] = {}

    def start(self, request: Mapping[str, Any]) -> None:
        """Begin the call of a ``remote-call`` payload; its outcome is sent when it ends."""
        request_id = request["requestId"]
        if request_id in self._running:
            return
        call = Call(request_id, self._send)
        task = asyncio.create_task(self._serve(call, request))
        self._running[request_id] = (call, task)
        task.add_done_callback(lambda _: self._running.pop(request_id, None))

    def cancel(self, request_id: str) -> None:
        """End a call that nobody waits for any longer; nothing more is sent of it."""
        if request_id in self._running:
            call, task = self._running[request_id]
            call.is_cancelled = True
            task.cancel()

    def cancel_all(self) -> None:
        """End every call."""
        for request_id in list(self._running):
            self.cancel(request_id)

    async def wait(self) -> None:
        """Return when no call runs any longer."""
        while self._running:
            await asyncio.wait([task for _, task in self._running.values()])

    async def _serve(self, call: Call, request: Mapping[str, Any]) -> None:
        _current.set(call)
        outcome = await self._outcome(call, request)
        size = len(outcome.encode())
        if size > self._max_frame - FRAME_MARGIN:
            outcome = _error(
                f"The result of {request['function']} is too large: {size:,} bytes, and the "
                f"server takes at most {self._max_frame:,} with all around it."
            )
        await call.finish(outcome)

    async def _outcome(self, call: Call, request: Mapping[str, Any]) -> str:
        name = request["function"]
        if name not in self._functions:
            return _error(f"{request['remotename']} has no function {name}.")
        try:
            text = await self._functions[name].run(request.get("args") or {}, self._room)
        except asyncio.CancelledError:
            if call.is_cancelled:
                raise
            return _error(f"{name} was cancelled by its own program.")
        except (ArgumentError, BusyError, ResultError) as error:
            return _error(str(error))
        except (Exception, SystemExit) as error:  # a served function may raise anything
            show_failure(f"{name} failed:", error)
            return _error(f"{type(error).__name__}: {error}")
        return f'"result":{text}'


def _error(text: str) -> str:
    return f'"error":{encode(text[:MAX_ERROR])}'
