"""The models that a page can offer: those of all endpoints, and why some are missing."""

import socket

import pytest

from agents import catalog
from agents.catalog import Offer
from tests.support.fake_model import FakeModel


def ids(offer: Offer) -> list[str]:
    """What a thread chooses them by."""
    return [model.id for model in offer.models]


async def test_without_an_endpoint_there_is_the_demo_model() -> None:
    offer = await catalog.offer()
    assert (ids(offer), offer.default, offer.faults) == (["demo"], offer.models[0], [])


async def test_the_default_comes_first_listed_or_not(
    fake_model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fake-1", "fake"):
        monkeypatch.setenv("OPENAI_MODEL", name)
        offer = await catalog.offer()
        assert offer.default is not None
        assert offer.default.name == name
        assert ids(offer) == list(dict.fromkeys([name, "fake-1", "demo"]))


async def test_models_that_hold_no_conversation_are_not_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["nomic-embed-text", "chat", "Whisper-1", "gpt-image-1", "x" * 201]
    with FakeModel(models=names) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        assert ids(await catalog.offer()) == ["chat", "demo"]


async def test_one_endpoint_that_fails_leaves_the_others_to_choose(
    fake_model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(key="sk-1") as locked:
        text = f"""
            [endpoints.locked]
            base_url = "{locked.url}"
            [endpoints.open]
            base_url = "{fake_model.url}"
            [endpoints.gone]
            base_url = "http://127.0.0.1:9/v1"
            [endpoints.gone.models.named]
        """
        monkeypatch.setenv("REMOTES_MODELS", text)
        offer = await catalog.offer()
    assert ids(offer) == ["open/fake-1", "gone/named", "demo"]
    assert offer.default is None
    assert len(offer.faults) == 2
    assert "wants a key. Set api_key of the endpoint 'locked' in REMOTES_MODELS" in offer.faults[0]
    assert "No model can be reached at http://127.0.0.1:9/v1" in offer.faults[1]


async def test_settings_that_can_not_be_leave_the_demo_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost")
    offer = await catalog.offer()
    assert (ids(offer), offer.default) == (["demo"], None)
    assert "OPENAI_BASE_URL" in offer.faults[0]


async def test_an_endpoint_that_does_not_answer_is_not_waited_for_long(
    fake_model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "LIST_TIMEOUT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        text = f"""
            [endpoints.silent]
            base_url = "http://127.0.0.1:{port}/v1"
            [endpoints.open]
            base_url = "{fake_model.url}"
        """
        monkeypatch.setenv("REMOTES_MODELS", text)
        offer = await catalog.offer()
    assert "open/fake-1" in ids(offer)
    assert "did not list its models in time" in offer.faults[0]


async def test_an_endpoint_is_asked_once_for_many_who_want_to_know(
    fake_model: FakeModel,
) -> None:
    for _ in range(3):
        await catalog.offer()
    assert fake_model.listings == 1


async def test_an_endpoint_may_tell_how_much_a_model_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeModel(
        models={"a": {"max_model_len": 9000}, "b": {"meta": {"n_ctx": 5000}}, "c": {}}
    ) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        offer = await catalog.offer()
    assert [each.window for each in offer.models[:3]] == [9000, 5000, 32_768]
