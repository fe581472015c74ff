"""How far a run may go before it is ended."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from time import monotonic
from typing import TypeVar

MAX_ROUNDS = 20  # requests to the model
MAX_CALLS = 100  # calls of functions
MAX_SECONDS = 900.0  # from its start, the time in which a person is asked for approval apart
MAX_SAME_FAILURES = 3  # rounds one after the other in which the same call fails
MAX_CUT_OFF = 3  # rounds one after the other whose calls were cut off


T = TypeVar("T")


class RunEndedError(Exception):
    """The run is over before the model has finished; the text is a sentence for the person."""


class Budget:
    """What one run has used up of it."""

    def __init__(self) -> None:
        self._rounds = 0
        self._calls = 0
        self._cut_off = 0
        self._failures: Counter[tuple[str, str]] = Counter()
        self._asking: set[str] = set()
        self._asking_since = 0.0
        self._end = monotonic() + MAX_SECONDS

    def next_round(self) -> None:
        """Count a request to the model.

        Raises:
            RunEndedError: There were enough, or the time is up.
        """
        if self._rounds == MAX_ROUNDS:
            raise RunEndedError(
                f"The run was ended after {MAX_ROUNDS} rounds of calls without an answer. "
                "Send a message to go on."
            )
        self._rounds += 1
        self.check_time()

    def check_time(self) -> None:
        """Raise RunEndedError if the time is up."""
        if monotonic() > self._end:
            raise _late()

    async def in_time(self, pieces: AsyncIterator[T]) -> AsyncGenerator[T]:
        """``pieces`` as they come, while there is time; waiting for one counts as well.

        Raises:
            RunEndedError: The time is up.
        """
        while True:
            self.check_time()
            try:
                async with asyncio.timeout(self._end - monotonic()):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise _late() from error
            yield piece

    def next_calls(self, number: int) -> None:
        """Count the calls of a round before they are made.

        Raises:
            RunEndedError: They would be too many; none of them is to be made.
        """
        self._calls += number
        if self._calls > MAX_CALLS:
            raise RunEndedError(
                f"The run was ended because the model asked for more than {MAX_CALLS} calls; "
                "the last ones were not made. Send a message to go on."
            )

    def round_ended(self, failed: Iterable[tuple[str, str]], cut_off: bool) -> None:
        """Look at how a round went.

        Args:
            failed: Name and arguments of its calls that failed.
        Raises:
            RunEndedError: The model repeats itself.
        """
        self._cut_off = self._cut_off + 1 if cut_off else 0
        self._failures = Counter({call: self._failures[call] + 1 for call in failed})
        if self._cut_off == MAX_CUT_OFF:
            raise RunEndedError(
                f"The run was ended because the model's calls were cut off {MAX_CUT_OFF} times; "
                "none of these was run. Ask for less at once."
            )
        for (name, _), times in self._failures.items():
            if times == MAX_SAME_FAILURES:
                raise RunEndedError(
                    f"The run was ended because the same call of {name} failed {times} times in a "
                    "row. Send a message to go on."
                )

    def pause(self, call_id: str) -> None:
        """Let no time count from now, since a person is asked about this call."""
        if not self._asking:
            self._asking_since = monotonic()
        self._asking.add(call_id)

    def resume(self, call_id: str) -> None:
        """Let time count again once no call waits for a person; needs no ``pause`` before."""
        if self._asking == {call_id}:
            self._end += monotonic() - self._asking_since
        self._asking.discard(call_id)


def _late() -> RunEndedError:
    return RunEndedError(
        f"The run was ended after {MAX_SECONDS / 60:g} minutes. Send a message to go on."
    )
