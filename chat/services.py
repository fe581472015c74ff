"""What can be done with threads: each function answers one question or makes one change.

They are plain functions that use the ORM; coroutines call them through ``in_database``. A thing of
another user is not found.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Substr

from chat import wire
from chat.exceptions import MessageNotFoundError, ThreadNotFoundError
from chat.models import Call, Message, Resource, Run, Thread
from chat.tree import Tree
from gateway.limits import limits
from gateway.texts import storable

PAGE = 50  # messages


@dataclass(slots=True)
class Page:
    """A part of a thread's shown branch; messages are encoded, by id, oldest first."""

    thread: Thread
    messages: dict[str, msgspec.Raw]
    run: Run | None
    more: bool
    """Whether there are older messages."""


# Threads


def thread_of(user_id: int, thread: str) -> Thread:
    """The user's thread with that id, its resources at hand.

    Raises:
        ThreadNotFoundError: The user has none.
    """
    try:
        return _threads(user_id).get(pk=storable(thread))
    except Thread.DoesNotExist:
        raise ThreadNotFoundError from None


def locked_thread(user_id: int, thread: str) -> Thread:
    """The user's thread, which nobody else changes before the transaction ends.

    Raises:
        ThreadNotFoundError: The user has none.
    """
    row = Thread.objects.select_for_update().filter(user_id=user_id, pk=storable(thread)).first()
    if row is None:
        raise ThreadNotFoundError
    return row


def create_thread(user_id: int, title: str, remotes: Iterable[str], model: str) -> Thread:
    """A new thread with these remotes switched on."""
    with transaction.atomic():
        thread = Thread.objects.create(user_id=user_id, title=title, model=model)
        set_remotes(thread, remotes)
    return thread_of(user_id, thread.pk)


def update_thread(user_id: int, thread: str, **changes: object) -> None:
    """Change a thread's ``title``, ``model`` or ``remotes``, whichever are given.

    Raises:
        ThreadNotFoundError: The user has no such thread.
    """
    remotes = changes.pop("remotes", None)
    with transaction.atomic():
        row = locked_thread(user_id, thread)
        if changes:
            Thread.objects.filter(pk=row.pk).update(**changes)
        if isinstance(remotes, list):
            set_remotes(row, remotes)


def delete_thread(user_id: int, thread: str) -> None:
    """Delete a thread with all that belongs to it.

    Raises:
        ThreadNotFoundError: The user has no such thread.
    """
    thread_of(user_id, thread).delete()


def list_threads(
    user_id: int, query: str, before: str | None, limit: int
) -> tuple[list[msgspec.Raw], bool]:
    """A page of the user's threads, encoded, latest first, and whether there are more.

    Args:
        query: What the title or a message must contain.
        before: Id of the last thread of the page before.

    Raises:
        ThreadNotFoundError: ``before`` is none of the user's threads.
    """
    threads = _threads(user_id)
    if query:
        said = Message.objects.filter(thread=OuterRef("pk"), content__icontains=query)
        threads = threads.filter(Q(title__icontains=query) | Exists(said))
    if before is not None:
        last = thread_of(user_id, before)
        same_moment = Q(updated_at=last.updated_at, pk__lt=last.pk)
        threads = threads.filter(Q(updated_at__lt=last.updated_at) | same_moment)
    found = list(threads[: limit + 1])
    told = [wire.encoded(wire.thread(each, each.resources.all())) for each in found[:limit]]
    page = wire.fitting(told, limits.frame_out * 3 // 4)
    return page, len(page) < len(found)


def _threads(user_id: int) -> QuerySet[Thread]:
    return Thread.objects.filter(user_id=user_id).prefetch_related("resources")


def set_remotes(thread: Thread, names: Iterable[str]) -> None:
    """Switch these remotes on for the thread, each once, and all others off."""
    mine = Resource.objects.filter(
        thread=thread, kind=Resource.Kind.SYSTEM, subkind=Resource.Subkind.REMOTE
    )
    mine.delete()
    Resource.objects.bulk_create(
        Resource(thread=thread, subkind=Resource.Subkind.REMOTE, content=name, position=position)
        for position, name in enumerate(dict.fromkeys(names))
    )


# Messages


def message_of(user_id: int, message: str) -> Message:
    """The user's message with that id, in whichever branch of its thread it is.

    Raises:
        MessageNotFoundError: The user has none.
    """
    row = Message.objects.filter(thread__user=user_id, pk=storable(message)).first()
    if row is None:
        raise MessageNotFoundError
    return row


def message_object(message: Message) -> msgspec.Raw:
    """A message as it is stored now, encoded.

    Raises:
        MessageNotFoundError: It has been deleted meanwhile.
    """
    found = _encoded([message.pk], Tree(message.thread_id))
    if message.pk not in found:
        raise MessageNotFoundError
    return found[message.pk]


def open_page(user_id: int, thread: str, before: str | None) -> Page:
    """The newest messages of the shown branch, or those that come before one of them.

    Raises:
        ThreadNotFoundError: The user has no such thread.
        MessageNotFoundError: ``before`` is not in the branch.
    """
    row = thread_of(user_id, thread)
    tree = Tree(row.pk)
    branch = tree.branch(row.head_id)
    if before is not None:
        if before not in branch:
            raise MessageNotFoundError
        branch = branch[: branch.index(before)]
    ids = branch[-PAGE:]
    messages = _encoded(ids, tree)
    run = Run.objects.filter(thread=row, status=Run.Status.RUNNING).first()
    return Page(row, messages, run, len(branch) > len(ids))


def _encoded(ids: Sequence[str], tree: Tree) -> dict[str, msgspec.Raw]:
    """Those of a thread's messages that are still there, by their ids."""
    rows = Message.objects.in_bulk(ids)
    calls = _calls_in_short(ids)
    return {
        each: wire.encoded(wire.message(rows[each], calls[each], tree.siblings(each)))
        for each in ids
        if each in rows
    }


def _calls_in_short(messages: Sequence[str]) -> defaultdict[str, list[Call]]:
    """The calls of some messages, with no more of their texts than a client is shown."""
    texts = ("args", "result", "error")
    shown = limits.preview + 1  # one more than is shown, so that it is seen to be cut
    found: defaultdict[str, list[Call]] = defaultdict(list)
    heads = {f"{name}_head": Substr(name, 1, shown) for name in texts}
    for call in Call.objects.filter(message__in=messages).defer(*texts).annotate(**heads):
        for name in texts:
            setattr(call, name, getattr(call, f"{name}_head"))
        found[call.message_id].append(call)
    return found


def history(message: Message) -> list[Message]:
    """The branch that ends with ``message``, oldest first, with the calls at hand."""
    ids = Tree(message.thread_id).branch(message.pk)
    rows = Message.objects.defer("reasoning").prefetch_related("calls").in_bulk(ids)
    return [rows[each] for each in ids]


# Calls


def call_text(user_id: int, call: str, part: str, offset: int, length: int) -> str | None:
    """``length`` code points of one text of the user's call, from ``offset``; None: no such call.

    Args:
        part: ``args``, ``result`` or ``error``.
    """
    mine = Call.objects.filter(pk=storable(call), message__thread__user=user_id)
    text: str | None = mine.values_list(Substr(part, offset + 1, length), flat=True).first()
    return text
