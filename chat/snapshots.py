"""Looks at a thread that agree with the events that its hearers get."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from chat import services, topics, wire
from chat.exceptions import ThreadNotFoundError
from chat.models import Thread
from gateway.database import in_database

P = ParamSpec("P")
T = TypeVar("T")


async def steady(thread: str, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What ``read`` finds of a thread that did not change meanwhile.

    Whoever subscribes or tells before the next await has missed nothing and repeats nothing old.
    """
    while True:
        with topics.reading(thread) as look:
            found = await in_database(read, *args, **kwargs)
        if not look.stale:
            return found


async def tell_changed(user_id: int, thread: str) -> Thread | None:
    """Tell everyone whom it concerns what the thread is now; None if it is gone."""
    try:
        row = await steady(thread, services.thread_of, user_id, thread)
    except ThreadNotFoundError:
        return None
    told = wire.thread(row, row.resources.all())
    topics.tell_user(user_id, thread, "thread-changed", {"thread": told})
    return row
