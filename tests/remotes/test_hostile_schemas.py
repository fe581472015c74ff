"""Whatever a schema and arguments are, registering and checking hold nobody up and end."""

import json
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import msgspec
import pytest

from gateway.limits import limits
from remotes import arguments as checking
from remotes.exceptions import InvalidArgsError
from remotes.functions import RefusedFunctionError, RemoteFunction
from tests.remotes.hostile import SCHEMAS, arguments
from tests.support import openai_rules
from tests.support.stalls import bystander

TRACED = sys.gettrace() is not None  # coverage is measured, which slows Python down
LONGEST_STALL = 0.25 if TRACED else 0.05  # seconds


def registered(parameters: object) -> RemoteFunction:
    """The function with these parameters, as a remote sends it."""
    text = json.dumps({"name": "f", "parameters": parameters}, separators=(",", ":"))
    return RemoteFunction.from_wire(msgspec.Raw(text.encode()), 0)


async def checked(function: RemoteFunction, args: dict[str, object]) -> str:
    """What is told of the arguments; empty where they fit."""
    try:
        await function.check(args)
    except InvalidArgsError as error:
        return error.message
    return ""


@pytest.mark.parametrize("case", SCHEMAS)
async def test_a_hostile_function_holds_nobody_up(case: str) -> None:
    parameters, value = SCHEMAS[case]
    assert len(json.dumps(parameters, separators=(",", ":"))) < limits.definition
    args = json.loads(json.dumps(arguments(value, parameters)))
    function = None
    async with bystander() as registering:
        with suppress(RefusedFunctionError):
            function = registered(parameters)
    assert registering.longest < LONGEST_STALL
    if function is None:
        return
    async with bystander() as offering:
        offered = function.offer.parameters
    assert offering.longest < LONGEST_STALL
    tool = {"type": "function", "function": {"name": "f", "parameters": offered}}
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [tool]}
    assert openai_rules.faults(body) == []
    async with bystander() as checking:
        message = await checked(function, args)
    assert len(message) < 4000
    assert checking.longest < LONGEST_STALL


REFUSED = [
    "unevaluated in a row",
    "doubled 30 times",
    "1,500 references in a row",
    "400 references for each level",
    "a million states",
    "all letters, 10 times each",
    "all letters",
    "many patterns",
    "the same large one 1,000 times",
]


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_bounded_is_refused_with_a_reason(case: str) -> None:
    with pytest.raises(RefusedFunctionError) as refused:
        registered(SCHEMAS[case][0])
    assert refused.value.refusal.path.startswith("functions.0.parameters")
    assert refused.value.refusal.message


async def test_what_takes_too_long_to_check_is_refused_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "APART", 0.05)
    parameters, value = SCHEMAS["look-ahead"]
    with pytest.raises(InvalidArgsError, match="too much to be checked"):
        await registered(parameters).check(arguments(value, parameters))


async def test_a_large_value_is_checked_apart_with_the_same_outcome() -> None:
    function = registered({"properties": {"x": {"items": {"type": "integer"}}}})
    await function.check({"x": [1] * 200_000})
    with pytest.raises(InvalidArgsError, match="they do not fit the schema"):
        await function.check({"x": [*([1] * 199_999), "end"]})
    with pytest.raises(InvalidArgsError, match=r'x\.9999: expected integer, not "end"'):
        await function.check({"x": [*([1] * 9_999), "end"]})
    small = registered({"properties": {"x": {"items": {"type": "integer"}}}})
    with pytest.raises(InvalidArgsError, match=r'x\.1: expected integer, not "end"'):
        await small.check({"x": [1, "end"]})


async def test_nothing_is_ever_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.3)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/schema"
        for far in (
            {"$ref": address},
            {"$ref": f"{address}#/a"},
            {"$dynamicRef": address},
            {"$id": address, "$ref": "other"},
            {"allOf": [{"items": {"$ref": address}}]},
        ):
            with pytest.raises(RefusedFunctionError):
                registered({"type": "object", "properties": {"x": far}})
        with pytest.raises(RefusedFunctionError):
            registered({"$schema": address})
        with pytest.raises(TimeoutError):
            listening.accept()


def test_a_definition_is_checked_before_the_largest_that_may_come() -> None:
    with pytest.raises(RefusedFunctionError, match=str(limits.definition)):
        registered({"properties": {"x": {"enum": ["x" * limits.definition]}}})


def test_the_stack_of_a_checking_process_is_never_the_end_of_it() -> None:
    """In a process of its own, since a stack that overflows takes the process along."""
    parameters, value = SCHEMAS["60 references for each level"]
    answer = subprocess.run(
        [sys.executable, "-m", "remotes.arguments"],
        input=msgspec.json.encode([parameters, {"x": value}]),
        capture_output=True,
        check=True,
    )
    assert json.loads(answer.stdout) == []


def test_smaller_stacks_of_threads_do_as_well() -> None:
    parameters, value = SCHEMAS["60 references for each level"]
    function = registered(parameters)
    done = []
    threading.stack_size(2 * 1024 * 1024)
    try:
        thread = threading.Thread(
            target=lambda: done.append(function._check.faults_now({"x": value}))
        )
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert done == [[]]
