"""What a token may do: the actions of its scopes, and never to approve."""

from typing import Any

import msgspec
import pytest

from gateway.actions import Scope, registry
from tests.support.sites import Site, Socket

NEEDS = {
    Scope.SERVE: {
        "remote-connect",
        "remote-disconnect",
        "remote-call-result",
        "remote-call-progress",
    },
    Scope.CALL: {"remote-list", "remote-call", "remote-call-cancel"},
    Scope.CHAT: {
        "thread-create",
        "thread-list",
        "thread-open",
        "thread-close",
        "thread-update",
        "thread-delete",
        "message-send",
        "message-edit",
        "message-regenerate",
        "message-select",
        "model-list",
        "run-stop",
        "call-read",
    },
}
EVERYBODY = {"ping", "pong"}
PERSONS = {"call-approve", "call-deny"}


def example(name: str) -> dict[str, Any]:
    """A payload of the right shape, without what may be left out."""
    fields = msgspec.structs.fields(registry[name].payload)
    values: dict[str, Any] = {"functions": [], "part": "args"}
    required = [field.encode_name for field in fields if field.required]
    return {field: values.get(field, "x") for field in required}


async def code_of(socket: Socket, name: str) -> str | None:
    """With which code an action is answered; None when nothing refuses it."""
    if registry[name].inline is None:
        answers = [await socket.request(name, example(name))]
    else:  # that may have no reply, but is over before the next frame is looked at
        await socket.send(name, example(name), id=name)
        await socket.barrier()
        answers = [frame for frame in socket.frames if frame.get("id") == name]
    return answers[0]["payload"].get("code") if answers else None


async def refused(socket: Socket) -> set[str]:
    """The actions that the socket's credential does not reach."""
    return {name for name in registry if await code_of(socket, name) == "forbidden-scope"}


def test_it_is_said_of_every_action_who_may_use_it() -> None:
    assert set.union(*NEEDS.values(), EVERYBODY, PERSONS) == set(registry)


@pytest.mark.parametrize("scope", Scope)
async def test_a_token_with_one_scope_may_use_the_actions_of_that_one_alone(
    site: Site, scope: Scope
) -> None:
    socket = await site.program("ana", [scope])
    others = set.union(*(names for other, names in NEEDS.items() if other is not scope))
    assert await refused(socket) == others | PERSONS


async def test_a_token_without_scopes_may_use_all_but_approve(site: Site) -> None:
    socket = await site.program("ana")
    assert await refused(socket) == PERSONS


async def test_a_person_on_the_page_may_use_all(site: Site) -> None:
    socket = await site.page("ana")
    codes = {name: await code_of(socket, name) for name in registry}
    assert "forbidden-scope" not in codes.values()
    assert {codes[name] for name in PERSONS} == {"call-not-found"}
