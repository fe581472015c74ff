"""An answer while it is written: its text and its calls, and how the thread hears of them.

Everything here happens between two awaits, so that a snapshot and the events that follow it never
contradict each other.
"""

import asyncio
from collections.abc import Mapping, Sequence
from time import monotonic

from agents.events import Asked, CallChanged, CallFinished, CallStarted
from chat import topics, turns, wire
from chat.models import MODEL_LENGTH, NAME_LENGTH, Call, Message
from gateway.exceptions import TooLargeError
from gateway.limits import KIB, limits
from gateway.texts import beginning, encoded_size, storable, storable_json

BATCH = 0.03  # seconds of text that go out together
REASONING_SIZE = 64 * KIB  # bytes of what a model thinks aloud that are kept
REASONING_CUT = "\n\n[…]"

STOPPED = "It was stopped. It may have run all the same."
_ENDS: Mapping[str, tuple[str, str]] = {
    Message.Status.STOPPED: (Call.Status.STOPPED, STOPPED),
    Message.Status.INTERRUPTED: (Call.Status.INTERRUPTED, turns.MAY_HAVE_RUN),
}


class LiveAnswer:
    """The assistant's message that a run writes.

    Args:
        siblings: All answers to the same message, oldest first; no other joins them during a run.

    Attributes:
        message: Its row, as it will be stored.
        closed: Whether it has ended, so that nothing is added any more.
    """

    def __init__(self, message: Message, siblings: Sequence[str]) -> None:
        self.message = message
        self.closed = False
        self._siblings = siblings
        self._calls: dict[str, Call] = {}
        self._progress: dict[str, dict[str, object]] = {}
        self._size = 0
        self._reasoning_room = REASONING_SIZE
        self._unsent: list[str] = []
        self._unsent_reasoning: list[str] = []
        self._moved: set[str] = set()
        self._flushed = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def content(self) -> str:
        """All of the text so far."""
        self.flush()
        return self.message.content

    @property
    def reasoning(self) -> str:
        """All that the model has thought aloud so far."""
        self.flush()
        return self.message.reasoning

    def object(self) -> wire.Object:
        """The message as a client is sent it, as of now."""
        self.flush()
        calls = list(self._calls.values())
        return wire.message(self.message, calls, self._siblings, self._progress)

    def call(self, call_id: str) -> Call | None:
        """The call with that id, if this answer made it."""
        return self._calls.get(call_id)

    def add_text(self, text: str) -> None:
        """Write on.

        Raises:
            TooLargeError: The answer is as long as one may be; ``text`` is left out.
        """
        text = storable(text)
        size = encoded_size(text)
        if self._size + size > limits.content:
            longest = limits.content // KIB
            raise TooLargeError(f"The answer was cut off at {longest} KiB, the most one may have.")
        self._size += size
        self._unsent.append(text)
        self._flush_soon()

    def add_reasoning(self, text: str) -> None:
        """Note what the model thinks aloud; from a certain length on, the rest is left out."""
        if self._reasoning_room <= 0:
            return
        text = storable(text)
        self._reasoning_room -= encoded_size(text)
        if self._reasoning_room <= 0:
            text = beginning(text, self._reasoning_room + encoded_size(text)) + REASONING_CUT
        self._unsent_reasoning.append(text)
        self._flush_soon()

    def note_asked(self, event: Asked) -> None:
        """Note which model answers, and what of the thread it sees."""
        self.message.model = storable(event.model)[:MODEL_LENGTH]
        self.message.history_from = event.history_from

    def begin_call(self, event: CallStarted) -> Call:
        """Add a call where the text has arrived."""
        self.flush()
        call = Call(
            id=event.call_id,
            message_id=self.message.pk,
            remotename=storable(event.remotename)[:NAME_LENGTH],
            function=storable(event.function)[:NAME_LENGTH],
            args=storable_json(event.args),
            offset=len(self.message.content),
            position=len(self._calls),
        )
        self._calls[call.pk] = call
        self._tell_call("call-created", call)
        return call

    def change_call(self, event: CallChanged) -> Call | None:
        """Note what became of a call that has not ended; returns it if it must be stored."""
        call = self._calls[event.call_id]
        args = storable_json(event.args)
        if event.progress is not None:
            self._progress[call.pk] = event.progress
        if (event.status, args) == (call.status, call.args):
            self._moved.add(call.pk)
            self._flush_soon()
            return None
        call.status, call.args = event.status, args
        self._tell_call("call-updated", call)
        return call

    def end_call(self, event: CallFinished) -> Call:
        """Note a call's outcome."""
        call = self._calls[event.call_id]
        call.status = event.status
        call.result = storable_json(event.result or "")
        call.error = storable(event.error or "")
        call.code = event.code or ""
        call.duration = round(event.duration, 3)
        self._settle(call)
        return call

    def close(self, status: str, error: str) -> list[Call]:
        """End the answer, and with it every call that has no outcome; returns all its calls."""
        self.flush()
        self.closed = True
        self.message.status = status
        self.message.error = error
        calls = list(self._calls.values())
        for call in calls:
            if call.status not in Call.OPEN:
                continue
            sent = call.status == Call.Status.RUNNING
            call.status, why = _ENDS.get(status, (Call.Status.ERROR, turns.UNFINISHED))
            call.error, call.code = (why, "cancelled") if sent else (turns.NOT_SENT, "denied")
            self._settle(call)
        return calls

    def flush(self) -> None:
        """Send what has gathered since the last batch."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._unsent_reasoning:
            self._send_reasoning()
        if self._unsent:
            self._send_text()
        moved, self._moved = self._moved, set()
        for call_id in moved:
            self._tell_call("call-updated", self._calls[call_id])
        self._flushed = monotonic()

    def _flush_soon(self) -> None:
        """Flush now if the last time is long enough ago, else when it is."""
        if self._timer is not None:
            return
        wait = self._flushed + BATCH - monotonic()
        if wait <= 0:
            self.flush()
        else:
            self._timer = asyncio.get_running_loop().call_later(wait, self.flush)

    def _send_text(self) -> None:
        offset = len(self.message.content)
        text = "".join(self._unsent)
        self._unsent.clear()
        self.message.content += text
        payload = {"message": self.message.pk, "offset": offset, "text": text}
        topics.tell(self.message.thread_id, "message-delta", payload)

    def _send_reasoning(self) -> None:
        offset = len(self.message.reasoning)
        text = "".join(self._unsent_reasoning)
        self._unsent_reasoning.clear()
        self.message.reasoning += text
        payload = {"message": self.message.pk, "offset": offset, "text": text}
        topics.tell(self.message.thread_id, "message-reasoning", payload)

    def _settle(self, call: Call) -> None:
        self.flush()
        self._progress.pop(call.pk, None)
        self._tell_call("call-updated", call)

    def _tell_call(self, action: str, call: Call) -> None:
        told = wire.call(call, self._progress.get(call.pk))
        topics.tell(self.message.thread_id, action, {"message": call.message_id, "call": told})
