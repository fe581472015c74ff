"""The agent's loop: ask the model, make the calls that it asks for, tell it the outcomes, again.

It knows no database and no socket: what happens is told as events, see ``agents.events``.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from agents import catalog, history, providers, windows
from agents.budget import Budget, RunEndedError
from agents.calls import Tool, ToolCall, side_by_side
from agents.endpoints import Model, ModelError, RefusedError, TooLongError
from agents.events import Asked, Event, Finished, ReasoningDelta, RunInput, TextDelta
from agents.failures import KEPT
from agents.history import AnsweredCall, Conversation
from agents.streams import Turn
from agents.toolbox import Toolbox
from agents.windows import Fitted

EMPTY = "The model ended its answer without saying anything. Send your message again."
BROKEN_OFF = f"The model's answer ended too early. {KEPT}"
SHORTENINGS = 4  # times that a conversation which the endpoint finds too long is cut further
CUT_SHORT = "The answer was cut off at the model's length limit or by its provider's filter."


class App(Protocol):
    """Where the tools come from; the remotes app has it."""

    def getRemoteTools(  # noqa: N802 - the name is given
        self, user_id: int, remotes: Sequence[str], /
    ) -> Sequence[Tool]:
        """The functions of those of the user's remotes that are connected now."""


class ExpertAgent:
    """Answers the last message of a thread, with the user's remotes as its tools."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def run(self, run_input: RunInput) -> AsyncGenerator[Event]:
        """One run, as events; the last is a :class:`Finished`, unless it is cancelled.

        The tools are those of the moment when it starts. Closing the generator, or cancelling
        the task that iterates over it, ends the model's request and the calls at once; calls
        under way then have no :class:`CallFinished`.
        """
        tools = self._app.getRemoteTools(run_input.user_id, run_input.remotes)
        run = _Run(run_input, tools)
        try:
            async with aclosing(run.events()) as events:
                async for event in events:
                    yield event
        except RefusedError as refused:
            error = f"{refused}{run.toolbox.traced(refused.told)}"
            yield Finished("failed", error, run.model, run.usage)
        except (RunEndedError, ModelError) as ended:
            yield Finished("failed", str(ended), run.model, run.usage)
        else:
            yield Finished("done", run.remark, run.model, run.usage)


class _Run:
    """One run; ``model``, ``usage``, ``remark`` and ``toolbox`` are for what its end tells."""

    def __init__(self, run_input: RunInput, tools: Sequence[Tool]) -> None:
        self.model: str | None = None
        self.usage: dict[str, int] = {}
        self.remark: str | None = None
        self._input = run_input
        self.toolbox = Toolbox(tools)
        self._offer_tokens = windows.tokens(self.toolbox.request)
        self._told: Asked | None = None
        self._window = 0
        self._thinking: Turn | None = None
        self._budget = Budget()
        self._conversation: Conversation

    async def events(self) -> AsyncGenerator[Event]:
        """What happens until the model asks for no more calls.

        Raises:
            ModelError: The model could not be asked, or broke off.
            RunEndedError: A bound was reached, or the answer is not whole.
        """
        model = await catalog.choose(self._input.model)
        self.model = model.name
        told = history.instructions(
            self._input.remotes, self.toolbox.remotes, self.toolbox.left_out
        )
        self._conversation = Conversation(told, self._input.history, images=model.images)
        while True:
            turn = Turn()
            async with aclosing(self._answer(model, turn)) as deltas:
                async for delta in deltas:
                    yield delta
            if not turn.calls:
                break
            async with aclosing(self._round(model, turn)) as events:
                async for event in events:
                    yield event
        self._end(turn)

    async def _answer(self, model: Model, turn: Turn) -> AsyncGenerator[Event]:
        """Ask the model; what it says and thinks comes as events, the rest is put into ``turn``.

        What is too long for it is cut until it fits.
        """
        self._budget.next_round()
        window = self._window or model.window
        for left in reversed(range(SHORTENINGS)):
            fitted = windows.fit(self._conversation, windows.room(window, self._offer_tokens))
            try:
                async with aclosing(self._asked(model, turn, fitted)) as events:
                    async for event in events:
                        yield event
                break
            except TooLongError as error:
                sent = fitted.tokens + self._offer_tokens
                smaller = windows.smaller(window, sent, error.limit)
                if not left or smaller == window or turn.text or turn.reasoning:
                    raise
                window = self._window = smaller
        if self._window:
            catalog.note_window(model, self._window)
        for kind, tokens in turn.usage.items():
            self.usage[kind] = self.usage.get(kind, 0) + tokens

    async def _asked(self, model: Model, turn: Turn, fitted: Fitted) -> AsyncGenerator[Event]:
        asked = Asked(model.name, fitted.history_from)
        if asked != self._told:
            self._told = asked
            yield asked
        answer = providers.stream_turn(model, fitted.messages, self.toolbox.request, turn)
        async with aclosing(answer) as pieces, aclosing(self._budget.in_time(pieces)) as timely:
            async for piece in timely:
                if piece is not None:
                    yield self._apart(piece, turn)

    def _apart(self, piece: TextDelta | ReasoningDelta, turn: Turn) -> TextDelta | ReasoningDelta:
        """``piece``, the first thoughts of a round with a blank line after those before."""
        if isinstance(piece, TextDelta) or self._thinking is turn:
            return piece
        before, self._thinking = self._thinking, turn
        return ReasoningDelta(f"\n\n{piece.text}") if before else piece

    async def _round(self, model: Model, turn: Turn) -> AsyncGenerator[Event]:
        """Make the turn's calls and add them with their outcomes to the conversation."""
        self._budget.next_calls(len(turn.calls))
        settings = self.toolbox.offered, self._input.thread, self._budget, turn.cut_off
        calls = [ToolCall(asked, *settings) for asked in turn.calls]
        async with aclosing(side_by_side(calls)) as events:
            async for event in events:
                yield event
        self._remember(model, turn, calls)
        failed = [(call.asked.name, call.asked.arguments) for call in calls if call.failed]
        self._budget.round_ended(failed, turn.cut_off)

    def _remember(self, model: Model, turn: Turn, calls: Sequence[ToolCall]) -> None:
        answered = [
            AnsweredCall(call.asked.name, call.arguments, call.answer, call.asked.id)
            for call in calls
        ]
        thought = turn.reasoning if model.wants_reasoning else ""
        fields = {turn.reasoning_field: thought} if thought else {}
        self._conversation.add(turn.text, answered, fields)

    def _end(self, turn: Turn) -> None:
        if not turn.text.strip():
            raise RunEndedError(EMPTY)
        if turn.broken_off:
            raise RunEndedError(BROKEN_OFF)
        remarks = [CUT_SHORT if turn.cut_off else None, self.toolbox.remark]
        self.remark = " ".join(filter(None, remarks)) or None
