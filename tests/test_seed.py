"""What was asked of remotes in the first place, promise by promise, with the real objects.

The actions' payloads on a real socket are in ``tests/end_to_end/test_seed_actions.py``.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from agents import clients, runs
from agents.agent import Agent
from agents.events import CallFinished, Event, Finished, PastTurn, RunInput
from agents.expert import ExpertAgent
from chat import services, turns
from chat.models import Resource
from gateway import frames, nodes
from gateway.actions import registry as actions
from gateway.credentials import Identity
from gateway.database import in_database
from gateway.limits import limits
from gateway.sessions import Session
from remotes import registry
from remotes.apps import RemotesConfig
from remotes.calls import Call
from remotes.connections import RemoteConnection, awaited
from remotes.exceptions import (
    RemoteClosedError,
    RemoteError,
    RemoteNotFoundError,
    RemoteTimeoutError,
)
from remotes.functions import RemoteFunction
from remotes.tools import RemoteToolSpec
from tests.support.fake_model import FakeModel, calls, says

ANA, BEN = 1, 2

ECHO: dict[str, Any] = {
    "name": "echo",
    "description": "Gives back what it gets.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}
ANYTHING: dict[str, Any] = {"name": "anything", "description": "Takes anything."}
SILENT: dict[str, Any] = {"name": "silent", "description": "Never answers.", "timeout": 0.05}


class Program:
    """A program's socket without the network: a real session, and the frames that it is sent."""

    def __init__(self, user_id: int = ANA) -> None:
        self.session = Session(Identity(user_id, "someone", "token", "key"), self._send)
        self._frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def _send(self, message: dict[str, Any]) -> None:
        self._frames.put_nowait(json.loads(message["text"]))

    async def request(self, action: str, payload: dict[str, Any]) -> Any:
        """Have the server take a frame as from this socket; its reply's payload."""
        frame = frames.decode(json.dumps({"action": action, "payload": payload}))
        entry = actions[action]
        checked = frames.payload_of(frame, entry.payload)
        if entry.inline is not None:
            return entry.inline(self.session, checked)
        assert entry.handler is not None
        return await entry.handler(self.session, checked)

    async def serve(self, name: str, *functions: dict[str, Any]) -> RemoteConnection:
        """Connect a remote; the server's own object for it."""
        await self.request("remote-connect", {"remotename": name, "functions": functions})
        return registry.find(self.session.user_id, name)

    async def asked(self) -> Any:
        """The payload of the next request to run something."""
        while (frame := await asyncio.wait_for(self._frames.get(), 10))["action"] != "remote-call":
            pass
        return frame["payload"]

    async def answer(self, **outcome: object) -> Any:
        """Answer the next request; returns the request."""
        request = await self.asked()
        await self.request("remote-call-result", {"requestId": request["requestId"], **outcome})
        return request


@pytest.fixture
async def program() -> AsyncIterator[Callable[..., Program]]:
    """Makes programs, whose sockets close when the test ends."""
    made: list[Program] = []

    def make(user_id: int = ANA) -> Program:
        made.append(Program(user_id))
        return made[-1]

    yield make
    for each in made:
        each.session.end()
    assert not awaited


@pytest.fixture
async def laptop(program: Callable[..., Program]) -> Program:
    """Ana's program, which serves ``laptop``."""
    made = program()
    await made.serve("laptop", ECHO, ANYTHING, SILENT)
    return made


@pytest.fixture
def app() -> RemotesConfig:
    """The app that the agent asks for tools."""
    found = apps.get_app_config("remotes")
    assert isinstance(found, RemotesConfig)
    return found


def tool(app: RemotesConfig, function: str) -> RemoteToolSpec:
    """The tool of one of ``laptop``'s functions."""
    tools = {each.function.name: each for each in app.getRemoteTools(ANA, ["laptop"])}
    return tools[function]


# 1. Definition


async def test_a_remote_function_contains_name_description_and_its_openai_compatible_schema(
    laptop: Program,
) -> None:
    function = registry.find(ANA, "laptop").functions["echo"]
    assert isinstance(function, RemoteFunction)
    assert function.name == "echo"
    assert function.description == "Gives back what it gets."
    assert function.parameters == ECHO["parameters"]


async def test_a_remote_tool_spec_exposes_name_description_and_to_openai_dict(
    laptop: Program, app: RemotesConfig
) -> None:
    spec = tool(app, "echo")
    assert isinstance(spec, RemoteToolSpec)
    assert spec.name == "laptop__echo"
    assert spec.description.startswith("Gives back what it gets.")
    assert spec.to_openai_dict() == {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": ECHO["parameters"],
        },
    }


async def test_a_remote_tool_spec_exposes_execute_async(
    laptop: Program, app: RemotesConfig
) -> None:
    executing = asyncio.create_task(tool(app, "echo").execute_async(text="hello"))
    request = await laptop.answer(result={"said": "hello"})
    assert (request["function"], request["args"]) == ("echo", {"text": "hello"})
    assert json.loads(await executing) == {"said": "hello"}


async def test_execute_async_takes_parameters_called_self_or_name(
    laptop: Program, app: RemotesConfig
) -> None:
    args: dict[str, object] = {"self": 1, "name": 2, "function": 3, "args": 4, "user_id": 5}
    executing = asyncio.create_task(tool(app, "anything").execute_async(**args))
    assert (await laptop.answer(result=None))["args"] == args
    assert await executing == "null"


async def test_a_remote_connection_holds_the_definitions_and_the_pending_calls(
    laptop: Program,
) -> None:
    connection = registry.find(ANA, "laptop")
    assert list(connection.functions) == ["echo", "anything", "silent"]
    assert connection.pending == {}
    calling = asyncio.create_task(connection.call("echo", '{"text": "a"}'))
    request = await laptop.asked()
    assert list(connection.pending) == [request["requestId"]]
    await laptop.request("remote-call-result", {"requestId": request["requestId"], "result": 1})
    await calling
    assert connection.pending == {}


# 2. Injection


async def test_the_server_resolves_names_of_remotes_into_tool_specs(
    laptop: Program, app: RemotesConfig, program: Callable[..., Program]
) -> None:
    await program().serve("pi", ECHO)
    names = [spec.name for spec in app.getRemoteTools(ANA, ["pi", "away", "laptop", "pi"])]
    assert names == ["pi__echo", "laptop__echo", "laptop__anything", "laptop__silent"]
    assert app.getRemoteTools(ANA, []) == []


# 3. Execution


async def test_call_sends_a_request_over_the_socket_of_the_session_that_owns_the_remote(
    laptop: Program, program: Callable[..., Program]
) -> None:
    pi = program()
    connection = await pi.serve("pi", ECHO)
    calling = asyncio.create_task(connection.call("echo", '{"text": "hello"}'))
    request = await pi.asked()
    assert (request["remotename"], request["function"]) == ("pi", "echo")
    assert request["args"] == {"text": "hello"}
    assert request["requestId"]
    answer = {"requestId": request["requestId"], "result": "from another socket"}
    await laptop.request("remote-call-result", answer)
    await pi.request("remote-call-result", {**answer, "result": "from its owner"})
    assert await calling == '"from its owner"'


async def test_results_are_sent_back_through_remote_call_result(laptop: Program) -> None:
    connection = registry.find(ANA, "laptop")
    calling = asyncio.create_task(connection.call("echo", '{"text": "a"}'))
    await laptop.answer(result={"list": [1, None]})
    assert json.loads(await calling) == {"list": [1, None]}
    calling = asyncio.create_task(connection.call("echo", '{"text": "a"}'))
    await laptop.answer(error="out of paper")
    with pytest.raises(RemoteError, match="out of paper"):
        await calling


async def test_pending_calls_time_out_after_30_seconds(laptop: Program) -> None:
    """The figure, as the owner is told it; the next test waits for a shorter one."""
    calling = asyncio.create_task(registry.find(ANA, "laptop").call("echo", '{"text": "a"}'))
    assert (await laptop.answer(result=1))["deadline"] == limits.call_timeout == 30
    await calling


async def test_a_call_without_a_response_times_out(laptop: Program) -> None:
    connection = registry.find(ANA, "laptop")
    with pytest.raises(RemoteTimeoutError, match=r"silent gave no result within 0\.05 s"):
        await connection.call("silent", "{}")
    assert (await laptop.asked())["deadline"] == 0.05
    assert connection.pending == {}


# 4. Lifecycle


async def test_a_remote_is_established_by_remote_connect(
    program: Callable[..., Program], app: RemotesConfig
) -> None:
    with pytest.raises(RemoteNotFoundError):
        registry.find(ANA, "pi")
    await program().request("remote-connect", {"remotename": "pi", "functions": [ECHO]})
    assert [spec.name for spec in app.getRemoteTools(ANA, ["pi"])] == ["pi__echo"]


async def test_a_remote_persists_until_remote_disconnect(
    laptop: Program, app: RemotesConfig
) -> None:
    await laptop.request("remote-connect", {"remotename": "pi", "functions": [ECHO]})
    await laptop.request("remote-disconnect", {"remotename": "laptop"})
    assert app.getRemoteTools(ANA, ["laptop"]) == []
    assert [spec.name for spec in app.getRemoteTools(ANA, ["pi"])] == ["pi__echo"]


async def test_a_remote_persists_until_the_session_serving_it_closes(
    laptop: Program, app: RemotesConfig
) -> None:
    calling = asyncio.create_task(registry.find(ANA, "laptop").call("echo", '{"text": "a"}'))
    await laptop.asked()
    laptop.session.end()
    with pytest.raises(RemoteClosedError):
        await calling
    assert app.getRemoteTools(ANA, ["laptop"]) == []


async def test_collisions_are_handled_by_scoping_connections_to_user_id_and_name(
    laptop: Program, app: RemotesConfig, program: Callable[..., Program]
) -> None:
    bens = program(BEN)
    await bens.serve("laptop", ANYTHING)
    assert len(app.getRemoteTools(ANA, ["laptop"])) == 3
    (spec,) = app.getRemoteTools(BEN, ["laptop"])
    executing = asyncio.create_task(spec.execute_async())
    await bens.answer(result="Ben's")
    assert json.loads(await executing) == "Ben's"
    bens.session.end()
    assert len(app.getRemoteTools(ANA, ["laptop"])) == 3
    with pytest.raises(RemoteNotFoundError):
        await Call(BEN, "laptop", "echo", '{"text": "a"}').outcome()


# Agent integration


@pytest.mark.django_db(transaction=True)
async def test_received_message_scans_the_resources_for_remotes_and_passes_their_names_to_the_run(
    app: RemotesConfig,
) -> None:
    given: asyncio.Future[RunInput] = asyncio.get_running_loop().create_future()

    async def answering(run_input: RunInput) -> AsyncGenerator[Event]:
        given.set_result(run_input)
        yield Finished("done")

    def said() -> turns.Turn:
        user = User.objects.create_user("ana")
        thread = services.create_thread(user.pk, "", [], "")
        for place, (subkind, content) in enumerate(
            [("remote", "laptop"), ("note", "no remote"), ("remote", "pi")]
        ):
            Resource.objects.create(
                thread=thread, kind="system", subkind=subkind, content=content, position=place
            )
        return turns.begin(user.pk, thread.pk, "hello", None, "", nodes.boot_id)

    turn = await in_database(said)
    await Agent(answering).received_message(turn)
    live = runs.of_thread(turn.thread.pk)
    assert live is not None
    run_input = await asyncio.wait_for(given, 10)
    assert list(run_input.remotes) == ["laptop", "pi"]
    assert run_input.user_id == turn.thread.user_id
    await live.task


@pytest.fixture
async def model(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeModel]:
    """The model that the agent asks."""
    with FakeModel() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_MODEL", "fake-1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield fake
    await clients.close()
    assert fake.complaints == []


def running(app: RemotesConfig, *remotes: str) -> "asyncio.Task[list[Event]]":
    """A run of the agent, under way, that ends with all that it told."""
    given = RunInput(ANA, "thread", remotes, [PastTurn("user", "Go.")])

    async def events() -> list[Event]:
        return [event async for event in ExpertAgent(app).run(given)]

    return asyncio.create_task(events())


async def test_expert_agent_run_resolves_the_runs_remotes_and_injects_the_tools(
    laptop: Program, app: RemotesConfig, model: FakeModel, program: Callable[..., Program]
) -> None:
    await program().serve("off", ECHO)
    await program(BEN).serve("pi", ECHO)
    model.script(says("Hello."))
    await running(app, "laptop", "pi", "away")
    assert model.requests[0].offered == ["laptop__echo", "laptop__anything", "laptop__silent"]


async def test_when_the_ai_selects_a_tool_the_expert_agent_executes_it(
    laptop: Program, app: RemotesConfig, model: FakeModel
) -> None:
    model.script(calls("laptop__echo", {"text": "hello"}), says("It said hello."))
    run = running(app, "laptop")
    assert (await laptop.answer(result="hello"))["args"] == {"text": "hello"}
    events = await run
    assert model.requests[1].tool_texts == ['"hello"']
    ends = [event for event in events if isinstance(event, CallFinished | Finished)]
    assert [end.status for end in ends] == ["done", "done"]


async def closes(laptop: Program) -> None:
    await laptop.asked()
    laptop.session.end()


async def fails(laptop: Program) -> None:
    await laptop.answer(error="out of paper")


async def keeps_silent(laptop: Program) -> None:
    await laptop.asked()


@pytest.mark.parametrize(
    ("function", "happens", "read"),
    [
        ("silent", keeps_silent, "silent gave no result within 0.05 s"),
        ("anything", fails, "out of paper"),
        ("anything", closes, "disconnected during the call"),
    ],
)
async def test_a_failure_is_returned_as_a_string_and_the_run_goes_on(
    laptop: Program,
    app: RemotesConfig,
    model: FakeModel,
    function: str,
    happens: Callable[[Program], Any],
    read: str,
) -> None:
    model.script(calls(f"laptop__{function}", {}), says("I could not do it."))
    run = running(app, "laptop")
    await happens(laptop)
    events = await run
    (text,) = model.requests[1].tool_texts
    assert text.startswith("Error")
    assert read in text
    ends = [event for event in events if isinstance(event, CallFinished | Finished)]
    assert [end.status for end in ends] == ["error", "done"]
