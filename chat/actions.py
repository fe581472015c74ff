"""The actions on threads that need no run: thread-create, thread-list, thread-update."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from chat import services, snapshots, topics, wire
from chat.exceptions import ThreadNotFoundError
from chat.models import MODEL_LENGTH, TITLE_LENGTH
from chat.titles import plain_title
from gateway.actions import Reply, Scope, action
from gateway.database import in_database
from gateway.exceptions import TooManyError
from gateway.limits import limits
from gateway.names import checked_name
from gateway.sessions import Session
from gateway.texts import storable

LIST_MAX = 100  # threads of one page
QUERY_LENGTH = 200  # code points

Title = Annotated[str, Meta(max_length=TITLE_LENGTH)]
Model = Annotated[str, Meta(max_length=MODEL_LENGTH)]


class ThreadCreate(msgspec.Struct):
    """A new thread; all may be left out."""

    title: Title | None = None
    remotes: list[str] | None = None
    model: Model | None = None


class ThreadList(msgspec.Struct):
    """Which of the user's threads."""

    query: Annotated[str, Meta(max_length=QUERY_LENGTH)] | None = None
    before: str | None = None
    limit: Annotated[int, Meta(ge=1, le=LIST_MAX)] | None = None


class ThreadUpdate(msgspec.Struct):
    """What to change; ``model`` null is the server's default again."""

    thread: str
    title: Title | None = None
    remotes: list[str] | None = None
    model: Model | UnsetType | None = UNSET


@action("thread-create", ThreadCreate, scope=Scope.CHAT, ordered=True)
async def thread_create(session: Session, payload: ThreadCreate) -> Reply:
    """Make a thread and let the socket hear its events."""
    thread = await in_database(
        services.create_thread,
        session.user_id,
        plain_title(payload.title or ""),
        checked_remotes(payload.remotes or []),
        storable(payload.model or ""),
    )
    told = wire.thread(thread, thread.resources.all())
    topics.subscribe(session, thread.pk)
    topics.announce(session, {"thread": told})
    return {"thread": told}


@action("thread-list", ThreadList, scope=Scope.CHAT)
async def thread_list(session: Session, payload: ThreadList) -> Reply:
    """A page of the user's threads, latest first."""
    query = storable(payload.query or "").strip()
    limit = payload.limit or LIST_MAX // 2
    threads, more = await in_database(
        services.list_threads, session.user_id, query, payload.before, limit
    )
    return {"threads": threads, "more": more}


@action("thread-update", ThreadUpdate, scope=Scope.CHAT, ordered=True)
async def thread_update(session: Session, payload: ThreadUpdate) -> Reply:
    """Change a thread's title, remotes or model."""
    changes: dict[str, object] = {}
    if payload.title is not None:
        changes["title"] = plain_title(payload.title)
    if payload.remotes is not None:
        changes["remotes"] = checked_remotes(payload.remotes)
    if payload.model is not UNSET:
        changes["model"] = storable(payload.model or "")
    await in_database(services.update_thread, session.user_id, payload.thread, **changes)
    thread = await snapshots.tell_changed(session.user_id, payload.thread)
    if thread is None:
        raise ThreadNotFoundError
    return {"thread": wire.thread(thread, thread.resources.all())}


def checked_remotes(names: list[str], path: str = "remotes.{}") -> list[str]:
    """``names`` as remotes of a thread, each once; they need not be connected.

    Args:
        path: Where they stand in the payload; ``{}`` is a name's place.

    Raises:
        InvalidPayloadError: One of them can't be a remote's name.
        TooManyError: There are more than a user may connect.
    """
    checked = [checked_name(name, path.format(place)) for place, name in enumerate(names)]
    unique = list(dict.fromkeys(checked))
    if len(unique) > limits.remotes:
        raise TooManyError(f"A thread may name {limits.remotes} remotes.")
    return unique
