"""A look at a thread never misses what was told while it was taken."""

import asyncio
import threading

import pytest

from chat import topics
from chat.snapshots import steady


class Shelf:
    """Something to be read, slowly: a read takes the value, and then waits to be let go."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.reads = 0
        self.reading = threading.Event()
        self.let_go = threading.Event()

    def read(self) -> str:
        value = self.value
        self.reads += 1
        self.reading.set()
        assert self.let_go.wait(10)
        return value


@pytest.mark.parametrize("action", ["message-created", "run-finished", "thread-changed"])
async def test_what_changed_while_it_was_read_is_read_again(action: str) -> None:
    shelf = Shelf("old")
    look = asyncio.create_task(steady("t", shelf.read))
    assert await asyncio.to_thread(shelf.reading.wait, 10)
    shelf.value = "new"
    topics.tell("t", action, {})
    shelf.let_go.set()
    assert await look == "new"
    assert shelf.reads == 2


async def test_other_threads_and_mere_text_do_not_disturb_a_look() -> None:
    shelf = Shelf("old")
    look = asyncio.create_task(steady("t", shelf.read))
    assert await asyncio.to_thread(shelf.reading.wait, 10)
    topics.tell("other", "thread-changed", {})
    topics.tell("t", "message-delta", {})
    shelf.let_go.set()
    assert await look == "old"
    assert shelf.reads == 1
