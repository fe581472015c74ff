"""A conversation with branches, as sockets and the model see it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, bench, socket
from tests.support.fake_model import Answer, FakeModel, Hold, calls, delta, says, streams

HALF = streams(delta(role="assistant", content="So far "), delta(content="so good"), Hold())


@pytest.fixture
async def ana(scripted_server: Server) -> AsyncIterator[Client]:
    async with socket(scripted_server, token=scripted_server.token("ana")) as client:
        yield client


@pytest.fixture
async def second(scripted_server: Server) -> AsyncIterator[Client]:
    """Another socket of the same user."""
    async with socket(scripted_server, token=scripted_server.token("ana")) as client:
        yield client


class Talk:
    """A thread with a socket that follows it, and the model that answers in it."""

    def __init__(self, client: Client, model: FakeModel, thread: str) -> None:
        self.client = client
        self.thread = thread
        self.model = model

    async def ask(self, action: str, answer: Answer, /, **payload: object) -> tuple[Any, Any]:
        """The messages that a request added to the shown branch, once they are answered."""
        self.model.script(answer)
        reply = await self.client.ask(action, payload)
        assert (await self.end())["id"] == reply["run"]["id"]
        return tuple((await self.shown())[-2:])

    async def say(self, content: str, answer: str) -> tuple[Any, Any]:
        return await self.ask("message-send", says(answer), thread=self.thread, content=content)

    async def end(self) -> Any:
        return (await self.client.event("run-finished"))["run"]

    async def open(self) -> Any:
        return await self.client.ask("thread-open", {"thread": self.thread})

    async def shown(self) -> list[Any]:
        messages: list[Any] = (await self.open())["messages"]
        return messages

    async def texts(self) -> list[str]:
        return [message["content"] for message in await self.shown()]

    def told(self) -> list[str]:
        """What the model was last sent of the conversation."""
        return [message["content"] for message in self.model.requests[-1].messages[1:]]


@pytest.fixture
async def talk(ana: Client, model: FakeModel) -> Talk:
    return await new_talk(ana, model)


async def new_talk(client: Client, model: FakeModel, **fields: object) -> Talk:
    thread = (await client.ask("thread-create", fields))["thread"]["id"]
    return Talk(client, model, thread)


async def until_half(client: Client) -> Any:
    """Wait until HALF is held; the id of the message that reads so far."""
    text = ""
    while text != "So far so good":
        piece = await client.event("message-delta")
        text = text[: piece["offset"]] + piece["text"]
    return piece["message"]


async def test_a_regenerated_answer_stands_beside_the_old_one_under_the_same_question(
    talk: Talk, model: FakeModel
) -> None:
    await talk.say("one", "first")
    asked, old = await talk.say("two", "second")
    model.script(says("another second"))
    talk.client.frames.clear()
    reply = await talk.client.ask("message-regenerate", {"message": old["id"]})
    new = reply["message"]
    assert (new["id"], new["parent"]) == (reply["run"]["message"], asked["id"])
    assert (new["role"], new["status"], new["content"]) == ("assistant", "streaming", "")
    assert new["siblings"] == [old["id"], new["id"]]
    assert (await talk.client.event("message-created"))["message"] == new
    finished = (await talk.client.event("message-finished"))["message"]
    await talk.end()
    assert "message-created" not in [frame["action"] for frame in talk.client.frames]
    assert (finished["id"], finished["siblings"]) == (new["id"], new["siblings"])
    assert talk.told() == ["one", "first", "two"]
    shown = await talk.shown()
    assert [each["content"] for each in shown] == ["one", "first", "two", "another second"]
    assert shown[2:] == [asked, finished]


async def test_an_edited_message_begins_a_branch_of_which_the_model_reads_nothing_else(
    talk: Talk, model: FakeModel
) -> None:
    _, answer = await talk.say("one", "first")
    old, _ = await talk.say("two", "second")
    await talk.say("three", "third")
    model.script(says("II"))
    talk.client.frames.clear()
    reply = await talk.client.ask("message-edit", {"message": old["id"], "content": "2"})
    new = reply["message"]
    assert (new["role"], new["content"], new["parent"]) == ("user", "2", answer["id"])
    assert new["siblings"] == [old["id"], new["id"]]
    assert (await talk.client.event("message-created"))["message"] == new
    created = (await talk.client.event("message-created"))["message"]
    assert (created["id"], created["parent"]) == (reply["run"]["message"], new["id"])
    assert created["siblings"] == [created["id"]]
    await talk.end()
    assert talk.told() == ["one", "first", "2"]
    assert await talk.texts() == ["one", "first", "2", "II"]


async def test_the_first_message_can_be_edited_and_the_talk_goes_on_from_there(talk: Talk) -> None:
    old, _ = await talk.say("one", "first")
    new, _ = await talk.ask("message-edit", says("I"), message=old["id"], content="1")
    assert (new["parent"], new["siblings"]) == (None, [old["id"], new["id"]])
    assert talk.told() == ["1"]
    await talk.say("two", "II")
    assert talk.told() == ["1", "I", "two"]
    assert (await talk.open())["thread"]["title"] == "one"


async def test_a_selected_branch_is_shown_to_everyone_and_goes_on(
    talk: Talk, second: Client
) -> None:
    asked, old = await talk.say("one", "first")
    await talk.say("two", "second")
    _, new = await talk.ask("message-regenerate", says("other"), message=old["id"])
    assert await talk.texts() == ["one", "other"]
    await second.ask("thread-open", {"thread": talk.thread})
    before = (await talk.open())["thread"]
    talk.client.frames.clear()
    selected = await talk.client.ask("message-select", {"message": old["id"]})
    siblings = [old["id"], new["id"]]
    assert selected == {"message": {**old, "siblings": siblings}}
    for client in (talk.client, second):
        assert (await client.event("thread-changed"))["thread"] == before
    assert await talk.texts() == ["one", "first", "two", "second"]
    shown = (await second.ask("thread-open", {"thread": talk.thread}))["messages"]
    assert shown[:2] == [asked, selected["message"]]
    await talk.say("three", "third")
    assert talk.told() == ["one", "first", "two", "second", "three"]


async def test_coming_back_to_a_branch_shows_its_end_that_was_shown_last(talk: Talk) -> None:
    first, answer = await talk.say("one", "first")
    follow, _ = await talk.say("two", "older")
    edited, _ = await talk.ask(
        "message-edit", says("newer"), message=follow["id"], content="two again"
    )
    await talk.client.ask("message-select", {"message": follow["id"]})
    other, _ = await talk.ask("message-edit", says("aside"), message=first["id"], content="1")
    assert await talk.texts() == ["1", "aside"]
    await talk.client.ask("message-select", {"message": answer["id"]})
    assert await talk.texts() == ["one", "first", "two", "older"]
    await talk.client.ask("message-select", {"message": edited["id"]})
    assert await talk.texts() == ["one", "first", "two again", "newer"]
    for message in (other, first):
        await talk.client.ask("message-select", {"message": message["id"]})
    assert await talk.texts() == ["one", "first", "two again", "newer"]


async def test_calls_of_another_branch_are_not_told_to_the_model_and_can_be_seen_again(
    scripted_server: Server, model: FakeModel, ana: Client
) -> None:
    talk = await new_talk(ana, model, remotes=["bench"])
    async with bench(scripted_server, scripted_server.token("ana")):
        model.script(calls("bench__echo", {"n": 1.1}), says("It said 1.1."))
        await ana.ask("message-send", {"thread": talk.thread, "content": "one"})
        await talk.end()
        _, old = await talk.shown()
        _, new = await talk.ask("message-regenerate", says("No idea."), message=old["id"])
        assert model.requests[-1].offered == model.requests[-2].offered != []
    assert (talk.told(), new["calls"]) == (["one"], [])
    selected = (await ana.ask("message-select", {"message": old["id"]}))["message"]
    assert selected["calls"] == old["calls"]
    assert selected["calls"][0]["result"] == {"n": 1.1}


async def test_a_reload_in_the_middle_of_a_regenerated_answer_goes_on_letter_for_letter(
    talk: Talk, second: Client, model: FakeModel
) -> None:
    _, old = await talk.say("one", "first")
    model.script(HALF)
    reply = await talk.client.ask("message-regenerate", {"message": old["id"]})
    message = await until_half(talk.client)
    opened = await second.ask("thread-open", {"thread": talk.thread})
    assert opened["run"] == reply["run"]
    half = opened["messages"][-1]
    assert (half["id"], half["content"]) == (message, "So far so good")
    assert half["siblings"] == [old["id"], message]
    model.release()
    finished = (await second.event("message-finished"))["message"]
    assert finished == {**half, "status": "done", "model": finished["model"]}
    assert (await talk.shown())[-1] == finished


async def test_nothing_of_it_happens_while_the_agent_answers(
    scripted_server: Server, talk: Talk, second: Client, model: FakeModel
) -> None:
    asked, answer = await talk.say("one", "first")
    model.script(HALF)
    await talk.client.ask("message-send", {"thread": talk.thread, "content": "two"})
    await until_half(talk.client)
    during = await talk.shown()
    for client in (talk.client, second):
        for action, payload in {
            "message-edit": {"message": asked["id"], "content": "1"},
            "message-regenerate": {"message": answer["id"]},
            "message-select": {"message": answer["id"]},
        }.items():
            assert (await client.refusal(action, payload))["code"] == "busy"
    assert await talk.shown() == during
    model.release()
    await talk.end()
    assert "Traceback" not in scripted_server.log()


async def test_of_two_who_ask_at_once_one_is_answered(
    talk: Talk, second: Client, model: FakeModel
) -> None:
    _, old = await talk.say("one", "first")
    model.script(HALF)
    payload = {"message": old["id"]}
    replies = await asyncio.gather(
        *(client.request("message-regenerate", payload) for client in (talk.client, second))
    )
    assert sorted(reply["action"] for reply in replies) == ["error", "message-regenerate"]
    await until_half(talk.client)
    model.release()
    await talk.end()
    assert len((await talk.shown())[-1]["siblings"]) == 2


async def test_a_message_of_another_user_does_not_exist(
    scripted_server: Server, talk: Talk
) -> None:
    asked, answer = await talk.say("one", "first")
    before = await talk.open()
    async with socket(scripted_server, token=scripted_server.token("ben")) as stranger:
        for message in (asked["id"], answer["id"], "no-such-message", "", "\x00"):
            for action, more in {
                "message-edit": {"content": "mine"},
                "message-regenerate": {},
                "message-select": {},
            }.items():
                refusal = await stranger.refusal(action, {"message": message, **more})
                assert refusal["code"] == "message-not-found"
    assert await talk.open() == before


async def test_what_a_message_cannot_have_done_to_it_is_said(talk: Talk) -> None:
    asked, answer = await talk.say("one", "first")
    for action, payload, path in (
        ("message-edit", {"message": answer["id"], "content": "1"}, "message"),
        ("message-regenerate", {"message": asked["id"]}, "message"),
        ("message-edit", {"message": asked["id"], "content": " \n"}, "content"),
        ("message-edit", {"message": asked["id"]}, ""),
        ("message-select", {}, ""),
    ):
        refusal = await talk.client.refusal(action, payload)
        assert refusal["code"] == "invalid-payload"
        assert [detail["path"] for detail in refusal["details"]] == [path]
    long = {"message": asked["id"], "content": "x" * 300_000}
    assert (await talk.client.refusal("message-edit", long))["code"] == "too-large"
    assert await talk.shown() == [asked, answer]


async def test_whoever_asks_for_a_branch_hears_of_it(talk: Talk, second: Client) -> None:
    asked, answer = await talk.say("one", "first")
    other = Talk(second, talk.model, talk.thread)
    await other.ask("message-regenerate", says("other"), message=answer["id"])
    assert (await second.event("message-finished"))["message"]["content"] == "other"
    await second.ask("thread-close", {"thread": talk.thread})
    await other.ask("message-edit", says("I"), message=asked["id"], content="1")


@pytest.mark.parametrize("action", ["message-edit", "message-regenerate"])
async def test_the_same_key_begins_one_branch(talk: Talk, model: FakeModel, action: str) -> None:
    asked, answer = await talk.say("one", "first")
    payload = {"message": answer["id"], "key": "again"}
    if action == "message-edit":
        payload = {"message": asked["id"], "content": "1", "key": "again"}
    model.script(HALF)
    first = await talk.client.ask(action, payload)
    await until_half(talk.client)
    during = await talk.client.ask(action, payload)
    assert during["run"] == first["run"]
    shown = {message["id"]: message for message in await talk.shown()}
    assert during["message"] == shown[during["message"]["id"]]
    model.release()
    finished = await talk.end()
    asked_in_all = len(model.requests)
    late = await talk.client.ask(action, payload)
    assert late["run"] == finished
    assert late["message"] in await talk.shown()
    assert late["message"]["id"] == first["message"]["id"]
    assert len(model.requests) == asked_in_all
    await talk.say("two", "second")


async def test_a_key_of_an_answered_message_finds_its_first_answer(talk: Talk) -> None:
    payload = {"thread": talk.thread, "content": "one", "key": "k"}
    _, answer = await talk.ask("message-send", says("first"), **payload)
    await talk.ask("message-regenerate", says("other"), message=answer["id"])
    again = await talk.client.ask("message-send", payload)
    assert again["run"]["message"] == answer["id"]
    assert await talk.texts() == ["one", "other"]
