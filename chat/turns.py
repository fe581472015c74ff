"""Turns of a conversation: how a user's message and the run that answers it are kept.

Like :mod:`chat.services`: plain functions that use the ORM.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from chat.models import Call, Message, Run, Thread
from chat.services import locked_thread, set_remotes, thread_of
from chat.titles import title_of
from chat.tree import Tree
from gateway.exceptions import BusyError
from gateway.texts import storable

LOST = "The server stopped before it was done."
UNFINISHED = "The answer ended before it had the result. It may have run all the same."
MAY_HAVE_RUN = "The server stopped before it had the result. It may have run all the same."
NOT_SENT = "It was still waiting for approval, so it did not run."


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message and the run that answers it."""

    thread: Thread
    """With its resources at hand."""
    message: Message
    answer: Message
    run: Run
    siblings: list[str]
    """Of the user's message."""
    answer_siblings: list[str]
    repeated: bool = False
    """Whether it had been asked for before, under the same key."""

    @property
    def is_first(self) -> bool:
        """Whether the user's message had no answer before, which is to say that it is new."""
        return len(self.answer_siblings) == 1


def begin(
    user_id: int, thread: str, content: str, remotes: Sequence[str] | None, key: str, node: str
) -> Turn:
    """Add a user's message at the end of the shown branch, and the run that answers it.

    Args:
        remotes: The thread's remotes from now on; None leaves them as they are.
        key: The sender's mark, or empty. With one that was used, what it began is returned.
        node: The boot id of this process.

    Raises:
        ThreadNotFoundError: The user has no such thread.
        BusyError: A run is under way in the thread; nothing is stored.
    """
    with transaction.atomic():
        row = locked_thread(user_id, thread)
        if before := repeated(user_id, thread, key):
            return before
        _check_idle(row)
        if remotes is not None:
            set_remotes(row, remotes)
        return _ask(row, row.head_id, content, key, node)


def edit(user_id: int, message: Message, content: str, key: str, node: str) -> Turn:
    """Add a user's message beside ``message``, and the run that answers it; both are shown.

    Args and errors are those of :func:`begin`.
    """
    with transaction.atomic():
        row = locked_thread(user_id, message.thread_id)
        if before := repeated(user_id, row.pk, key):
            return before
        _check_idle(row)
        return _ask(row, message.parent_id, content, key, node)


def regenerate(user_id: int, answer: Message, key: str, node: str) -> Turn:
    """Add a run that answers the same message of the user's as ``answer``, beside that.

    Args and errors are those of :func:`begin`.
    """
    with transaction.atomic():
        row = locked_thread(user_id, answer.thread_id)
        if before := repeated(user_id, row.pk, key):
            return before
        _check_idle(row)
        return _answer(row, row.messages.get(children=answer), key, node)


def select(user_id: int, message: Message) -> None:
    """Show the branch through ``message``; where there are several, the one shown last.

    Raises:
        ThreadNotFoundError: The thread has been deleted meanwhile.
        BusyError: A run is under way in the thread.
    """
    with transaction.atomic():
        row = locked_thread(user_id, message.thread_id)
        _check_idle(row)
        # A branch is shown when its last message is added, and when it is selected.
        shown_at = Coalesce("selected_at", "created_at")
        leaves = row.messages.filter(pk__in=Tree(row.pk).leaves(message.pk))
        row.head = leaves.order_by(shown_at, "pk").last()
        row.save(update_fields=["head"])
        row.messages.filter(pk=row.head_id).update(selected_at=timezone.now())


def repeated(user_id: int, thread: str, key: str) -> Turn | None:
    """What the message with this key began, if there is one; an empty key is none."""
    key = storable(key)
    if not key:
        return None
    message = Message.objects.filter(thread=thread, thread__user=user_id, key=key).first()
    if message is None:
        return None
    runs = Run.objects.select_related("message")
    run = runs.filter(Q(message=message) | Q(message__parent=message)).earliest("created_at")
    asked = message if message.role == Message.Role.USER else Message.objects.get(children=message)
    return _turn(thread_of(user_id, thread), asked, run, repeated=True)


def _ask(row: Thread, parent: str | None, content: str, key: str, node: str) -> Turn:
    message = Message.objects.create(
        thread=row,
        parent_id=parent,
        role=Message.Role.USER,
        content=storable(content),
        key=storable(key),
    )
    row.title = row.title or title_of(message.content)
    return _answer(row, message, "", node)


def _answer(row: Thread, message: Message, key: str, node: str) -> Turn:
    answer = Message.objects.create(
        thread=row,
        parent=message,
        role=Message.Role.ASSISTANT,
        status=Message.Status.STREAMING,
        key=storable(key),
    )
    run = Run.objects.create(thread=row, message=answer, node=node)
    row.head, row.updated_at = answer, timezone.now()
    row.save()
    return _turn(thread_of(row.user_id, row.pk), message, run)


def _turn(thread: Thread, message: Message, run: Run, repeated: bool = False) -> Turn:
    answer = run.message
    return Turn(thread, message, answer, run, _siblings(message), _siblings(answer), repeated)


def _siblings(message: Message) -> list[str]:
    same = Message.objects.filter(thread=message.thread_id, parent=message.parent_id)
    return list(same.values_list("pk", flat=True))


def _check_idle(thread: Thread) -> None:
    if thread.runs.filter(status=Run.Status.RUNNING).exists():
        raise busy()


def busy() -> BusyError:
    """The answer to whatever waits for the run under way in a thread to end."""
    return BusyError("The agent is still answering in this thread; wait for it or stop it.")


def save_text(run: Run, content: str | None, reasoning: str = "") -> None:
    """Store a running answer's texts so far, if they are given, and that its node lives."""
    if content is not None:
        Message.objects.filter(pk=run.message_id).update(content=content, reasoning=reasoning)
    Run.objects.filter(pk=run.pk).update(heartbeat=timezone.now())


def save_call(run: Run, call: Call, content: str) -> None:
    """Store a call as it is now, and the text before it."""
    with transaction.atomic():
        Message.objects.filter(pk=run.message_id).update(content=content)
        _upsert([call])


def end(run: Run, answer: Message, calls: Sequence[Call]) -> None:
    """Store a run's end: the whole answer, these calls' outcomes, and that the run is over.

    Where the thread has been deleted meanwhile, nothing is stored.
    """
    with transaction.atomic():
        row = Thread.objects.select_for_update().filter(pk=run.thread_id).first()
        if row is not None:
            answer.save()
            _upsert(calls)
            run.save()
            row.updated_at = timezone.now()
            row.save(update_fields=["updated_at"])


def fail(run: Run) -> None:
    """Store no more of a run than its status and error; its calls without an outcome get one."""
    with transaction.atomic():
        _settle([run.message_id], Call.Status.ERROR, UNFINISHED)
        end = {"status": run.status, "error": run.error}
        Message.objects.filter(pk=run.message_id).update(**end)
        Run.objects.filter(pk=run.pk).update(**end)


def _settle(messages: Sequence[str], status: str, error: str) -> None:
    """Give an end to those calls of some messages that have none; ``error``: if it was sent."""
    calls = Call.objects.filter(message__in=messages)
    calls.filter(status=Call.Status.RUNNING).update(status=status, error=error, code="cancelled")
    calls.filter(status=Call.Status.AWAITING_APPROVAL).update(
        status=status, error=NOT_SENT, code="denied"
    )


def _upsert(calls: Sequence[Call]) -> None:
    fields = [field.name for field in Call._meta.concrete_fields if not field.primary_key]
    Call.objects.bulk_create(
        calls, update_conflicts=True, unique_fields=["id"], update_fields=fields
    )


def interrupt_left(node: str) -> int:
    """Give an end to what other server processes left running, and count the runs.

    Texts are kept; calls without an outcome get one.
    """
    left = Run.objects.filter(status=Run.Status.RUNNING).exclude(node=node)
    with transaction.atomic():
        runs = list(left.select_for_update().values_list("pk", "message_id"))
        messages = [message for _, message in runs]
        _settle(messages, Call.Status.INTERRUPTED, MAY_HAVE_RUN)
        Message.objects.filter(pk__in=messages, status=Message.Status.STREAMING).update(
            status=Message.Status.INTERRUPTED, error=LOST
        )
        Run.objects.filter(pk__in=[run for run, _ in runs]).update(
            status=Run.Status.INTERRUPTED, error=LOST
        )
    return len(runs)
