"""A function with ``confirm`` is never sent without a person's click on the page, on no path."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Client, Frame, function, socket

CALL = {"remotename": "safe", "function": "wipe", "args": {"path": "/tmp/x"}}
WIPE = function("wipe", {"path": {"type": "string"}}, confirm=True)


@asynccontextmanager
async def a_remote_and_its_page(
    server: Server,
) -> AsyncIterator[tuple[Client, Client, Client]]:
    """The owner of ``safe``, a program that calls, and the signed-in page."""
    token = server.token()
    async with (
        socket(server, token=token) as owner,
        socket(server, token=token) as caller,
        socket(server, cookie=server.sign_in()) as page,
    ):
        await owner.serve("safe", [WIPE])
        yield owner, caller, page


async def assert_nothing_sent(owner: Client) -> None:
    await owner.ask("remote-list")
    assert not [frame for frame in owner.frames if frame["action"] == "remote-call"]


async def waiting_call(caller: Client, page: Client) -> tuple["asyncio.Task[Frame]", str]:
    outcome = asyncio.create_task(caller.request("remote-call", CALL))
    shown = await page.event("call-created", message=None)
    assert shown["call"]["status"] == "awaiting-approval"
    assert shown["call"]["args"] == CALL["args"]
    return outcome, shown["call"]["id"]


async def answer(owner: Client, result: object) -> Frame:
    request: Frame = await owner.event("remote-call")
    await owner.send("remote-call-result", {"requestId": request["requestId"], "result": result})
    return request


async def test_a_call_is_sent_only_after_the_page_approves_it(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        await assert_nothing_sent(owner)
        approved = await page.ask("call-approve", {"call": call_id})
        assert approved["call"]["id"] == call_id
        assert (await answer(owner, "gone"))["args"] == CALL["args"]
        assert (await outcome)["payload"]["result"] == "gone"
        running = await page.event("call-updated")
        assert running["call"]["status"] == "running"
        done = await page.event("call-updated")
        assert (done["call"]["status"], done["call"]["result"]) == ("done", "gone")
        again = await page.refusal("call-approve", {"call": call_id})
        assert again["code"] == "call-not-found"


async def test_a_denied_call_is_never_sent_and_the_caller_reads_why(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        denied = await page.ask("call-deny", {"call": call_id, "reason": "not that folder"})
        assert denied["call"]["status"] == "denied"
        payload = (await outcome)["payload"]
        assert payload["code"] == "denied"
        assert "not that folder" in payload["error"]
        await assert_nothing_sent(owner)


async def test_a_token_may_not_approve_nor_deny_whatever_it_calls(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        for program in (caller, owner):
            for action in ("call-approve", "call-deny"):
                refusal = await program.refusal(action, {"call": call_id})
                assert refusal["code"] == "forbidden-scope"
        await assert_nothing_sent(owner)
        assert not [frame for frame in caller.frames if frame["action"].startswith("call-")]
        await page.ask("call-deny", {"call": call_id})
        await outcome


async def test_another_users_page_can_neither_see_nor_approve_it(server: Server) -> None:
    async with (
        a_remote_and_its_page(server) as (owner, caller, page),
        socket(server, cookie=server.sign_in("ben")) as stranger,
    ):
        outcome, call_id = await waiting_call(caller, page)
        refusal = await stranger.refusal("call-approve", {"call": call_id})
        assert refusal["code"] == "call-not-found"
        assert not [frame for frame in stranger.frames if frame["action"] == "call-created"]
        await assert_nothing_sent(owner)
        await page.ask("call-deny", {"call": call_id})
        await outcome


async def test_the_owner_itself_and_the_page_itself_need_the_click_too(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, _, page):
        for caller in (owner, page):
            outcome, call_id = await waiting_call(caller, page)
            await assert_nothing_sent(owner)
            await page.ask("call-deny", {"call": call_id})
            assert (await outcome)["payload"]["code"] == "denied"


async def test_a_page_that_opens_later_is_shown_what_waits(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        async with socket(server, cookie=server.sign_in()) as later:
            shown = await later.event("call-created", message=None)
            assert shown["call"]["id"] == call_id
            await later.ask("call-deny", {"call": call_id})
        assert (await page.event("call-updated"))["call"]["status"] == "denied"
        await outcome
        await assert_nothing_sent(owner)


async def test_changed_arguments_are_checked_and_sent_instead(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        wrong = await page.refusal("call-approve", {"call": call_id, "args": {"path": 5}})
        assert wrong["code"] == "invalid-args"
        await assert_nothing_sent(owner)
        await page.ask("call-approve", {"call": call_id, "args": {"path": "/tmp/y"}})
        assert (await answer(owner, 1))["args"] == {"path": "/tmp/y"}
        assert (await outcome)["payload"]["result"] == 1


async def test_nobody_answering_is_a_no(start_server: Callable[..., Server]) -> None:
    server = start_server(env={"REMOTES_LIMITS": '{"approval_timeout": 0.5}'})
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, _ = await waiting_call(caller, page)
        assert (await outcome)["payload"]["code"] == "denied"
        assert (await page.event("call-updated"))["call"]["status"] == "denied"
        await assert_nothing_sent(owner)


async def test_an_always_holds_until_the_function_is_defined_anew(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        await page.ask("call-approve", {"call": call_id, "remember": "always"})
        await answer(owner, 1)
        await outcome
        unasked = asyncio.create_task(caller.request("remote-call", CALL))
        await answer(owner, 2)
        assert (await unasked)["payload"]["result"] == 2

        redefined = {**WIPE, "description": "Wipes much more."}
        await owner.serve("safe", [redefined])
        asked, call_id = await waiting_call(caller, page)
        await assert_nothing_sent(owner)
        await page.ask("call-deny", {"call": call_id})
        assert (await asked)["payload"]["code"] == "denied"


async def test_a_definition_changed_while_waiting_is_not_what_was_approved(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        await owner.serve("safe", [{**WIPE, "description": "Wipes much more."}])
        await page.ask("call-approve", {"call": call_id})
        assert (await outcome)["payload"]["code"] == "denied"
        await assert_nothing_sent(owner)


@pytest.mark.parametrize("confirm", [False, True])
async def test_an_approval_goes_to_the_new_owner_of_the_same_function(
    server: Server, confirm: bool
) -> None:
    """Taken over by one that does not ask: that is another definition, so nothing is sent."""
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        async with socket(server, token=server.token()) as newer:
            await newer.serve("safe", [{**WIPE, "confirm": confirm}])
            await page.ask("call-approve", {"call": call_id})
            if confirm:
                await answer(newer, "new")
                assert (await outcome)["payload"]["result"] == "new"
            else:
                assert (await outcome)["payload"]["code"] == "denied"
                await assert_nothing_sent(newer)
            await assert_nothing_sent(owner)


async def test_a_remote_that_leaves_takes_its_waiting_calls_along(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        outcome, call_id = await waiting_call(caller, page)
        await owner.close()
        payload = (await outcome)["payload"]
        assert payload["code"] == "remote-disconnected"
        assert "before the call was sent" in payload["error"]
        refusal = await page.refusal("call-approve", {"call": call_id})
        assert refusal["code"] == "call-not-found"


async def test_a_caller_that_leaves_or_cancels_takes_its_waiting_call_along(
    server: Server,
) -> None:
    async with a_remote_and_its_page(server) as (owner, caller, page):
        payload = {**CALL, "requestId": "mine"}
        outcome = asyncio.create_task(caller.request("remote-call", payload))
        call_id = (await page.event("call-created"))["call"]["id"]
        await caller.ask("remote-call-cancel", {"requestId": "mine"})
        assert (await outcome)["payload"]["code"] == "cancelled"
        refusal = await page.refusal("call-approve", {"call": call_id})
        assert refusal["code"] == "call-not-found"
        await caller.send("remote-call", CALL)
        call_id = (await page.event("call-created"))["call"]["id"]
        await caller.close()
        updated = await page.event("call-updated", message=None)
        while updated["call"]["id"] != call_id:
            updated = await page.event("call-updated", message=None)
        assert updated["call"]["status"] == "error"
        refusal = await page.refusal("call-approve", {"call": call_id})
        assert refusal["code"] == "call-not-found"
        await assert_nothing_sent(owner)


async def test_the_agents_call_waits_in_its_thread(server: Server) -> None:
    async with a_remote_and_its_page(server) as (owner, _, page):
        thread = (await page.ask("thread-create", {"remotes": ["safe"]}))["thread"]["id"]
        message = {"thread": thread, "content": 'safe wipe path="/tmp/x"'}
        await page.ask("message-send", message)
        shown = await page.event("call-updated")
        while shown["call"]["status"] != "awaiting-approval":
            shown = await page.event("call-updated")
        await assert_nothing_sent(owner)
        program = await owner.refusal("call-approve", {"call": shown["call"]["id"]})
        assert program["code"] == "forbidden-scope"
        await page.ask("call-approve", {"call": shown["call"]["id"], "remember": "thread"})
        assert (await answer(owner, "gone"))["args"] == {"path": "/tmp/x"}
        finished = await page.event("message-finished")
        assert [call["status"] for call in finished["message"]["calls"]] == ["done"]

        await page.event("run-finished")
        await page.ask("message-send", message)
        await answer(owner, "remembered in this thread")
        await page.event("message-finished")
        await page.event("run-finished")

        other = (await page.ask("thread-create", {"remotes": ["safe"]}))["thread"]["id"]
        await page.ask("message-send", {**message, "thread": other})
        asked = await page.event("call-updated")
        while asked["call"]["status"] != "awaiting-approval":
            asked = await page.event("call-updated")
        await assert_nothing_sent(owner)
        await page.ask("call-deny", {"call": asked["call"]["id"], "reason": "not here"})
        finished = await page.event("message-finished")
        assert [call["status"] for call in finished["message"]["calls"]] == ["denied"]
        await assert_nothing_sent(owner)
