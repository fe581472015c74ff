"""A session: one open socket of one user, what is sent over it and what ends with it."""

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from time import monotonic
from typing import Any

from gateway import frames
from gateway.credentials import Identity
from gateway.exceptions import TooLargeError
from gateway.limits import limits

logger = logging.getLogger(__name__)

Send = Callable[[dict[str, Any]], Awaitable[None]]

TOO_SLOW = 4409
"""Close code for a client that reads so slowly that its outbox overflows."""


class Session:
    """One open socket.

    Attributes:
        id: Random and unguessable; the ``session`` of ``welcome`` and ``remote-list``.
        identity: Whose socket it is, and by which credential.
        heard: When the last frame came, in seconds of the monotonic clock.
        pinged: Whether it was asked for a sign of life and has not given one.
        watched: Whether its silence is watched.
        waiting_in_order: How many of its requests wait for one before them, or are served so.
        topics: What it hears of; kept by ``gateway.nodes``.
    """

    def __init__(self, identity: Identity, send: Send) -> None:
        self.id = secrets.token_urlsafe(16)
        self.identity = identity
        self.heard = monotonic()
        self.pinged = False
        self.watched = False
        self._send = send
        self._outbox: deque[tuple[dict[str, Any], asyncio.Future[None] | None]] = deque()
        self._waiting_bytes = 0
        self._roomy = asyncio.Event()
        self._writing = False
        self._writer: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._last_ordered: asyncio.Task[Any] | None = None
        self.waiting_in_order = 0
        self.topics: set[str] = set()
        self._undo = contextlib.ExitStack()
        self._ended = False

    @property
    def user_id(self) -> int:
        """The user whose socket it is."""
        return self.identity.user_id

    @property
    def ended(self) -> bool:
        """Whether the session is over: nothing it sends is served any more."""
        return self._ended

    @property
    def tasks(self) -> int:
        """How many tasks it has under way."""
        return len(self._tasks)

    def post(self, action: str, payload: Mapping[str, object], id: str | None = None) -> None:
        """Send one frame after those already on their way, without waiting for it.

        One that is larger than a client must take is not sent; a reply then is an error instead.
        """
        self.post_text(frames.encode(action, payload, id), id)

    def post_text(self, text: str, id: str | None = None) -> None:
        """Send an encoded frame, the reply to ``id`` if that is given; see :meth:`post`."""
        if self._ended:
            return
        size = frames.size_of(text)
        if size <= limits.frame_out:
            self._enqueue(_message(text), size, None)
            return
        logger.error("A frame of %d bytes was not sent: %.100s", size, text)
        if id is not None:
            error = TooLargeError(f"The reply has {size} bytes, more than a frame may have.")
            self.post_text(frames.encode_error(error, None, id))

    async def write(self, text: str) -> None:
        """Send an encoded frame and return once the server has taken it.

        Raises:
            ConnectionError: The session ended before that.
        """
        if self._ended:
            raise ConnectionError("The session has ended.")
        if self._writing or self._outbox:
            written = asyncio.get_running_loop().create_future()
            self._enqueue(_message(text), frames.size_of(text), written)
            await written
            return
        self._writing = True
        try:
            await self._send(_message(text))
        except Exception as error:
            raise self._cut_off(error) from error
        finally:
            self._writing = False
            if self._outbox:
                self._start_writer()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run ``work`` as a task that is cancelled when the session ends."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def spawn_ordered(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` after the session's earlier ordered work has ended."""
        self._last_ordered = self.spawn(_after(self._last_ordered, work))
        self.waiting_in_order += 1
        self._last_ordered.add_done_callback(lambda task: self._ordered_done(work))

    def _ordered_done(self, work: Coroutine[Any, Any, None]) -> None:
        self.waiting_in_order -= 1
        work.close()

    def on_close(self, undo: Callable[[], object]) -> None:
        """Call ``undo`` when the session ends, or now if it has; the latest is called first."""
        if self._ended:
            undo()
        else:
            self._undo.callback(undo)

    def close(self, code: int) -> None:
        """End the session: undo what it set up, then close the socket with ``code``.

        Frames posted before are still sent.
        """
        if not self._ended:
            self._enqueue({"type": "websocket.close", "code": code}, 0, None)
            self.end()

    def end(self) -> None:
        """Undo what the session set up and cancel its tasks; safe to call again."""
        if self._ended:
            return
        self._ended = True
        self._roomy.set()
        current = asyncio.current_task()
        for task in self._tasks:
            if task is not current:
                task.cancel()
        try:
            self._undo.close()
        except Exception:  # all of them were called; one that failed must not keep others open
            logger.exception("Something that a session had set up could not be undone")

    async def wait_ended(self) -> None:
        """Wait until the tasks of an ended session are done."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def room(self) -> None:
        """Wait while more is on its way to the client than it should be sent at once."""
        while self._waiting_bytes > limits.outbox_room and not self._ended:
            self._roomy.clear()
            await self._roomy.wait()

    async def written(self) -> None:
        """Wait until the server has taken all that was posted."""
        if self._writer is not None:
            await asyncio.wait([self._writer])

    def _enqueue(
        self, message: dict[str, Any], size: int, written: asyncio.Future[None] | None
    ) -> None:
        self._outbox.append((message, written))
        self._waiting_bytes += size
        if self._waiting_bytes > limits.outbox and not self._ended:
            self._drop_outbox()
            self.close(TOO_SLOW)
        elif not self._writing:
            self._start_writer()

    def _drop_outbox(self) -> None:
        for _, written in self._outbox:
            if written is not None and not written.done():
                written.set_exception(ConnectionError("The client is gone or reads too slowly."))
        self._outbox.clear()
        self._waiting_bytes = 0
        self._roomy.set()

    def _start_writer(self) -> None:
        self._writing = True
        self._writer = asyncio.get_running_loop().create_task(self._write_outbox())

    async def _write_outbox(self) -> None:
        written: asyncio.Future[None] | None = None
        try:
            while self._outbox:
                message, written = self._outbox.popleft()
                await self._send(message)
                self._waiting_bytes -= frames.size_of(message.get("text", ""))
                self._roomy.set()
                if written is not None and not written.done():
                    written.set_result(None)
        except Exception as error:
            gone = self._cut_off(error)
            if written is not None and not written.done():
                written.set_exception(gone)
        finally:
            self._writing = False
            self._drop_outbox()

    def _cut_off(self, error: Exception) -> ConnectionError:
        """End the session, whatever it was that the server program could not send.

        Returns:
            What a writer that waits is told.
        """
        if not isinstance(error, OSError):  # that is a client which left
            logger.error("A frame could not be sent", exc_info=error)
        self.end()
        return ConnectionError("The client is gone.")


def _message(text: str) -> dict[str, Any]:
    return {"type": "websocket.send", "text": text}


async def _after(previous: asyncio.Task[Any] | None, work: Coroutine[Any, Any, None]) -> None:
    if previous is not None and not previous.done():
        await asyncio.wait([previous])
    await work
