"""Models as a page and staff meet them: list, choice, thoughts, tokens, windows."""

import urllib.error
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.servers import PASSWORD, Server
from tests.end_to_end.sockets import Client, socket
from tests.support.fake_model import FakeModel, delta, finish, raw, streams


@pytest.fixture(scope="module")
def thinker() -> Iterator[FakeModel]:
    """A model that thinks aloud and counts tokens."""
    usage = '{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}'
    with FakeModel(models=["thinker-1", "text-embedding-1"]) as model:
        model.always(
            streams(
                delta(reasoning_content="Twice "),
                delta(reasoning_content="two."),
                delta(content="Four."),
                finish("stop"),
                raw('{"choices":[],"usage":' + usage + "}"),
            )
        )
        yield model


@pytest.fixture
def server(start_server: Callable[..., Server], thinker: FakeModel) -> Server:
    """A server with that model and, under a name of its own, an endpoint that is not there."""
    setting = f"""
        [endpoints.lab]
        base_url = "{thinker.url}"
        [endpoints.lab.models."*"]
        window = 1024
        [endpoints.gone]
        base_url = "http://127.0.0.1:9/v1"
    """
    return start_server(env={"REMOTES_MODELS": setting})


@pytest.fixture
async def ana(server: Server) -> AsyncIterator[Client]:
    async with socket(server, token=server.token("ana")) as client:
        yield client


async def test_a_page_lists_the_models_and_hears_why_some_are_missing(ana: Client) -> None:
    listed = await ana.ask("model-list")
    assert listed["models"] == [
        {"id": "lab/thinker-1", "name": "thinker-1", "endpoint": "lab", "default": True},
        {"id": "demo", "name": "demo", "endpoint": "built-in", "default": False},
    ]
    (error,) = listed["errors"]
    assert "No model can be reached at http://127.0.0.1:9/v1" in error


async def test_thoughts_and_tokens_are_told_beside_the_answer_and_kept(ana: Client) -> None:
    thread = (await ana.ask("thread-create", {"model": "lab/thinker-1"}))["thread"]["id"]
    await ana.ask("message-send", {"thread": thread, "content": "2 + 2?"})
    finished = (await ana.event("message-finished"))["message"]
    assert finished["content"] == "Four."
    assert finished["reasoning"] == "Twice two."
    assert finished["model"] == "thinker-1"
    assert finished["usage"] == {"prompt": 7, "completion": 5, "total": 12}
    thought = ""
    for frame in ana.frames:
        if frame["action"] == "message-reasoning":
            assert frame["payload"]["message"] == finished["id"]
            assert frame["payload"]["offset"] == len(thought)
            thought += frame["payload"]["text"]
    assert thought == "Twice two."
    await ana.event("run-finished")
    shown = (await ana.ask("thread-open", {"thread": thread}))["messages"]
    assert shown[-1] == finished


async def test_a_thread_longer_than_the_window_goes_on_and_tells_from_where_it_is_seen(
    ana: Client,
) -> None:
    thread = (await ana.ask("thread-create"))["thread"]["id"]
    asked, last = [], {}
    for number in range(4):
        content = f"{number} " + "word " * 200
        sent = await ana.ask("message-send", {"thread": thread, "content": content})
        asked.append(sent["message"]["id"])
        last = (await ana.event("message-finished"))["message"]
        await ana.event("run-finished")
        assert last["content"] == "Four."
    assert last["historyFrom"] in asked[1:]
    first = (await ana.ask("thread-open", {"thread": thread}))["messages"][1]
    assert "historyFrom" not in first


async def test_a_model_that_is_not_there_is_said_and_the_thread_goes_on(ana: Client) -> None:
    thread = (await ana.ask("thread-create", {"model": "gpt-9"}))["thread"]["id"]
    await ana.ask("message-send", {"thread": thread, "content": "hello"})
    run = (await ana.event("run-finished"))["run"]
    assert run["status"] == "failed"
    assert "'gpt-9'" in run["error"]
    await ana.ask("thread-update", {"thread": thread, "model": "demo"})
    await ana.ask("message-send", {"thread": thread, "content": "hello"})
    assert (await ana.event("run-finished"))["run"]["status"] == "done"


def test_only_staff_see_the_page_on_models(server: Server) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        server.get("/staff/models/", server.sign_in("ana"))
    assert "Sign in" in server.get("/staff/models/")


def test_staff_see_the_models_and_try_one_at_a_click(server: Server, page: Page) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"{server.url}/staff/models/")
    page.fill("[name=username]", "admin")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("127.0.0.1:9")
    page.get_by_role("button", name="Try demo").click()
    found = page.get_by_role("status")
    expect(found).to_contain_text("A call: works.")
    expect(found).to_contain_text("check__add")
    page.get_by_role("button", name="Try lab/thinker-1").click()
    expect(found).to_contain_text("Streaming: works. Four.")
    expect(found).to_contain_text("A call: does not work. It did not call the function")
    assert complaints == []


def test_the_command_says_what_works_and_what_is_missing(server: Server) -> None:
    told = server.manage("check_model", "--model", "demo")
    assert "ok  Streaming:" in told
    assert "ok  A call: check__add" in told
    with pytest.raises(AssertionError, match="NOT Settings: No model can be reached"):
        server.manage("check_model", "--endpoint", "gone")
    with pytest.raises(AssertionError, match=r"No endpoint is called 'lob'.*lab, gone"):
        server.manage("check_model", "--endpoint", "lob")
