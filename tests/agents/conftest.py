"""A scripted model server and a bench of functions for the agent's tests."""

from collections.abc import AsyncIterator, Iterator

import pytest

from agents import clients
from tests.agents.bench import Bench, standard_bench
from tests.support.fake_model import FakeModel


@pytest.fixture(autouse=True)
async def _closed_connections() -> AsyncIterator[None]:
    """Connections to models are kept for the event loop's life; here it ends with the test."""
    yield
    await clients.close()


@pytest.fixture
def fake_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """The model that the agent asks; at the end none of the requests was one to refuse."""
    with FakeModel() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_MODEL", "fake-1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield model
    assert model.complaints == []


@pytest.fixture
def bench() -> Bench:
    """Functions of a remote called ``bench``."""
    return standard_bench()
