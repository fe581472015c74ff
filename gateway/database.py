"""The one way from a coroutine to the ORM."""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8

_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="database")


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run ``function`` in a thread that may use the ORM, and return what it returns.

    Each of the threads has a connection of its own. One that the database has closed meanwhile is
    opened again before the work starts, so that a restarted database heals by itself. Cancelling
    the wait does not undo what the thread has begun.
    """
    work = functools.partial(_with_connection, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_pool, work)


def _with_connection(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    close_old_connections()
    try:
        return function(*args, **kwargs)
    finally:
        close_old_connections()
