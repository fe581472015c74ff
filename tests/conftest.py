"""Fixtures for all tests."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator

import msgspec
import pytest
from django.core.cache import cache

from gateway import nodes
from gateway.limits import limits
from tests.support.sites import Site


@pytest.fixture(autouse=True)
def _fresh_throttle() -> None:
    """No test is refused a sign-in because of the tries that others made."""
    cache.clear()


@pytest.fixture
def limit() -> Iterator[Callable[..., None]]:
    """Sets limits by name until the test ends: ``limit(burst=20)``."""
    before = msgspec.structs.asdict(limits)

    def change(**figures: float) -> None:
        for name, figure in figures.items():
            assert name in before
            msgspec.structs.force_setattr(limits, name, figure)

    yield change
    change(**before)


@pytest.fixture
async def site(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The consumer on a node of its own; at the end nothing of it is left in memory."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    node = nodes._Node()
    monkeypatch.setattr(nodes, "_node", node)
    made = Site()
    yield made
    await made.close()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    for task in list(node.tasks):
        task.cancel()
    await asyncio.gather(*node.tasks, return_exceptions=True)
    gauges = nodes.gauges()
    assert {name: gauges[name] for name in ("sockets", "tasks", "remotes", "pending")} == {
        "sockets": 0,
        "tasks": 0,
        "remotes": 0,
        "pending": 0,
    }
