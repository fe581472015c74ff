"""The demo model: how a newcomer tries everything, through the same client as a real model."""

import asyncio
import time
from contextlib import aclosing
from typing import Any

import pytest

from agents import demo_script
from agents.events import TextDelta
from agents.expert import ExpertAgent
from tests.agents.bench import Bench, echo, fail, run, run_input, user

FOLDER = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "hidden": {"type": "boolean"}},
    "required": ["path"],
}
ADD = {
    "type": "object",
    "properties": {
        "a": {"type": "integer"},
        "b": {"type": "number"},
        "exact": {"type": ["boolean", "null"]},
    },
    "required": ["a", "b"],
}
SAY = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "voice": {"type": "string", "enum": ["low", "high"]},
        "times": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["text"],
}
FREE = {"type": "object", "properties": {"path": {"type": "string", "default": "/"}}}


@pytest.fixture
def laptop() -> Bench:
    """A remote with a few functions, and a second one that has one of them too."""
    bench = Bench()
    bench.add("disk_free", echo, FREE, "How much space is left on a disk.", "laptop")
    bench.add("list_folder", echo, FOLDER, "The names of the files in a folder.", "laptop")
    bench.add("add", echo, ADD, "The sum of two numbers.", "laptop")
    bench.add("sayAloud", echo, SAY, "Speaks a sentence.", "laptop")
    bench.add("fail", fail, None, "Never works.", "laptop")
    bench.add("disk_free", echo, FREE, "How much space is left on a disk.", "home server")
    return bench


BOTH = ["laptop", "home server"]


async def ask(bench: Bench, message: str) -> str:
    """What the demo model says to ``message``."""
    ran = await run(bench, run_input(user(message), remotes=BOTH))
    return ran.text


MESSAGES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "disk_free": [("disk_free", {})],
    "What is the disk free on my laptop, please?": [("disk_free", {})],
    "Disk Free!": [("disk_free", {})],
    "laptop__disk_free": [("disk_free", {})],
    "@laptop disk-free": [("disk_free", {})],
    "disk_free /data": [("disk_free", {"path": "/data"})],
    "run `disk_free` now": [("disk_free", {})],
    "list_folder /data": [("list_folder", {"path": "/data"})],
    "list the folder": [],
    "list folder path=/data/disk_free": [("list_folder", {"path": "/data/disk_free"})],
    'list_folder {"path": "/my files", "hidden": true}': [
        ("list_folder", {"path": "/my files", "hidden": True})
    ],
    "list_folder path='/my files' hidden=true": [
        ("list_folder", {"path": "/my files", "hidden": True})
    ],
    'list_folder "/my files" true': [("list_folder", {"path": "/my files", "hidden": True})],
    "list_folder ~/notes on laptop.": [("list_folder", {"path": "~/notes"})],
    "list_folder of Documents": [("list_folder", {"path": "Documents"})],
    "list_folder {}": [("list_folder", {})],
    "add 2 and 3.5": [("add", {"a": 2, "b": 3.5})],
    "add a=2 b=three": [("add", {"a": 2, "b": "three"})],
    "add 2 3 true": [("add", {"a": 2, "b": 3, "exact": True})],
    "say aloud hello to the world": [("sayAloud", {"text": "hello to the world"})],
    'sayAloud "add 1 2" high 3 tags=a,b': [
        ("sayAloud", {"text": "add 1 2", "voice": "high", "times": 3, "tags": ["a", "b"]})
    ],
    'sayAloud {"text": "disk_free {}"}': [("sayAloud", {"text": "disk_free {}"})],
    "disk_free and list_folder path=/data": [("disk_free", {}), ("list_folder", {"path": "/data"})],
    "list_folder /a, list_folder /b, then add 1 2": [
        ("list_folder", {"path": "/a"}),
        ("list_folder", {"path": "/b"}),
        ("add", {"a": 1, "b": 2}),
    ],
    "How much space is left?": [],
    "What are the names of the files in /etc?": [("list_folder", {"path": "/etc"})],
    "reload_disk_freedom": [],
    "good morning": [],
}


@pytest.mark.parametrize("message", MESSAGES)
async def test_functions_that_a_message_names_are_called_with_its_values(
    laptop: Bench, message: str
) -> None:
    await ask(laptop, message)
    assert laptop.sent == MESSAGES[message]


@pytest.mark.parametrize(
    ("message", "remotes"),
    [
        ("disk_free", ["laptop"]),
        ("disk_free on the home server", ["home server"]),
        ("home server: disk_free", ["home server"]),
        ("disk_free on laptop, then disk_free on home server", ["laptop", "home server"]),
        ("disk_free on laptop and on home-server", ["laptop", "home server"]),
        ("laptop.disk_free, then home_server.disk_free", ["laptop", "home server"]),
    ],
)
async def test_of_functions_with_one_name_those_on_the_named_remotes_are_called(
    laptop: Bench, message: str, remotes: list[str]
) -> None:
    ran = await run(laptop, run_input(user(message), remotes=BOTH))
    assert [call.remotename for call in ran.started] == remotes


async def test_the_one_function_that_a_question_is_about_is_called(laptop: Bench) -> None:
    ran = await run(laptop, run_input(user("How much space is left?"), remotes=["laptop"]))
    assert [call.function for call in ran.started] == ["disk_free"]


async def test_the_only_function_there_is_needs_just_a_hint() -> None:
    bench = Bench()
    bench.add("read_sensor", echo, None, "The temperature in the greenhouse.")
    await run(bench, "is it warm in the greenhouse?")
    assert bench.sent == [("read_sensor", {})]
    await run(bench, "good morning")
    assert len(bench.sent) == 1


async def test_results_are_shown_as_markdown(laptop: Bench) -> None:
    text = await ask(laptop, "disk_free /data and fail")
    assert "**disk_free** on laptop returned" in text
    assert '```json\n{\n  "path": "/data"\n}\n```' in text
    assert "**fail** on laptop failed" in text
    assert "boom" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "returned nothing"),
        (12.5, "returned **12.5**"),
        (True, "returned **true**"),
        ("two\nlines ``` and ```` fences", "`````\ntwo\nlines ``` and ```` fences\n`````"),
        ([], "[]"),
    ],
)
async def test_results_of_every_kind_are_shown(value: object, shown: str) -> None:
    async def give(args: dict[str, Any], watcher: object) -> object:
        return value

    bench = Bench()
    bench.add("give", give)
    assert shown in (await run(bench, "give")).text


async def test_a_missing_value_is_asked_for(laptop: Bench) -> None:
    text = await ask(laptop, "list_folder on my laptop")
    assert laptop.sent == []
    assert "needs `path`" in text


async def test_it_says_what_it_is_and_how_to_get_a_real_model(laptop: Bench) -> None:
    text = await ask(laptop, "Who was\nAda Lovelace?")
    assert "> Who was\n> Ada Lovelace?" in text
    assert "no AI" in text
    for setting in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        assert setting in text


@pytest.mark.parametrize("message", ["help", "What can you do?"])
async def test_it_lists_the_functions(laptop: Bench, message: str) -> None:
    text = await ask(laptop, message)
    assert "**disk_free** on home server: How much space is left on a disk." in text
    assert "`add a=1 b=1.5`" in text


async def test_without_functions_it_says_how_to_get_some() -> None:
    assert "connect a remote" in (await run(Bench(), "help")).text
    assert "connect a remote" in (await run(Bench(), "hello")).text


async def test_error_shows_a_run_that_fails(laptop: Bench) -> None:
    ran = await run(laptop, "error")
    assert ran.text == demo_script.ERROR_TEXT
    assert ran.finished.status == "failed"
    assert "nothing is wrong" in ran.error


async def test_slow_streams_for_a_while_and_can_be_stopped(laptop: Bench) -> None:
    began = time.monotonic()
    async with aclosing(ExpertAgent(laptop).run(run_input(user("slow please")))) as events:
        _, *words = [await anext(events) for _ in range(5)]
    assert words == [TextDelta(word) for word in ("This ", "answer ", "is ", "slow ")]
    assert time.monotonic() - began > 3 * demo_script.SLOW_DELAY
    assert len(demo_script.SLOW_TEXT.split()) * demo_script.SLOW_DELAY > 10
    assert len(asyncio.all_tasks()) == 1


@pytest.mark.parametrize(
    "message", ["{", '"', "=", "a=", "@", "{}", "```", "🎉", "(" * 2000, "x=" * 5000]
)
async def test_odd_messages_are_answered_in_words(laptop: Bench, message: str) -> None:
    ran = await run(laptop, run_input(user(message), remotes=BOTH))
    assert ran.finished.status == "done"
    assert laptop.sent == []
