"""What the demo model says: it is no AI, and never pretends to be one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents import demo_calls
from agents.demo_calls import Function, Mention

WORD_DELAY = 0.01  # seconds between two words
RESULT_TIME = 2.0  # seconds in which a result is said, however long it is
SLOW_DELAY = 0.2  # seconds between two words, when asked to be slow
SHOWN = 4000  # characters of a result that are shown

Messages = Sequence[Mapping[str, Any]]

REAL_MODEL = (
    "For a real model, set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a server such as Ollama, "
    "vLLM, llama.cpp or LM Studio, and `OPENAI_MODEL`; then start the server again."
)
NO_FUNCTIONS = (
    "No function can be called in this chat yet: connect a remote, and switch it on for this chat."
)
SLOW_TEXT = (
    "This answer is slow on purpose. It comes word by word, so that there is time to look at it "
    "while it grows: reload the page, open another chat, or press Stop.\n\n"
    "- What has come so far is kept when you reload.\n"
    "- Closing the page does not end the answer.\n"
    "- Stop ends it at once, and what was said stays.\n\n"
    "Nothing is thought about in between. A real model pauses because it computes; this one "
    "counts to one fifth of a second, says a word, and counts again. That was the whole secret, "
    "and with it the answer ends."
)
ERROR_TEXT = "You asked what an error looks like. In a moment this answer breaks off:"
ERROR = "this is the error that you asked the demo model for; nothing is wrong."


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: text, and then calls, or a failure, or neither."""

    text: str = ""
    calls: Sequence[Mention] = ()
    failure: str = ""
    delay: float = WORD_DELAY
    """Seconds before each word."""

    def words(self) -> Iterator[str]:
        """The text in the pieces in which it is streamed."""
        yield from re.findall(r"\S+\s*|\s+", self.text)


def _said_soon(text: str) -> Reply:
    return Reply(text, delay=min(WORD_DELAY, RESULT_TIME / max(len(text.split()), 1)))


def reply(messages: Messages, tools: Sequence[Mapping[str, Any]]) -> Reply:
    """The answer to a chat completion's ``messages``, with ``tools`` as the request has them."""
    functions = demo_calls.functions_in(tools)
    if messages[-1]["role"] == "tool":
        return _said_soon(_results(messages, functions))
    message: str = messages[-1]["content"]
    return (
        _call(demo_calls.mentions(message, functions))
        or _trick(message, functions)
        or _call(demo_calls.meant(message, functions))
        or Reply(_greeting(message, functions))
    )


def _call(wanted: Sequence[Mention]) -> Reply | None:
    if not wanted:
        return None
    lacking = [mention for mention in wanted if mention.missing]
    if lacking:
        return Reply("\n\n".join(_question(mention) for mention in lacking))
    names = " and ".join(f"`{mention.function.name}`" for mention in wanted)
    return Reply(f"I call {names}.", wanted)


def _question(mention: Mention) -> str:
    missing = " and ".join(f"`{name}`" for name in mention.missing)
    function = mention.function
    return f"`{function.name}` needs {missing}. Write, for example: {_usage(function)}"


def _trick(message: str, functions: Sequence[Function]) -> Reply | None:
    words = re.findall(r"\w+", message.lower())
    if words[:1] == ["slow"] or words[-1:] == ["slowly"]:
        return Reply(SLOW_TEXT, delay=SLOW_DELAY)
    if words[:1] == ["error"] or words[-2:] == ["an", "error"]:
        return Reply(ERROR_TEXT, failure=ERROR)
    if words[:1] == ["help"] or words[:4] == ["what", "can", "you", "do"]:
        return Reply(_help(functions))
    return None


def _help(functions: Sequence[Function]) -> str:
    tricks = (
        "Write `slow` for an answer that takes its time, and `error` for one that fails.\n\n"
        f"I am a demo: a script, no AI. {REAL_MODEL}"
    )
    if not functions:
        return f"{NO_FUNCTIONS}\n\n{tricks}"
    listed = "\n".join(
        f"- **{each.name}** on {each.remotename}: {each.description or 'no description'} "
        f"Write: {_usage(each)}"
        for each in functions
    )
    return (
        f"I can call these functions when you name them:\n\n{listed}\n\n"
        f"Name several to have them called side by side. {tricks}"
    )


def _greeting(message: str, functions: Sequence[Function]) -> str:
    quoted = "\n".join(f"> {line}" for line in message[:SHOWN].splitlines())
    if functions:
        offer = f"But I call your functions when you name them, as in {_usage(functions[0])}."
    else:
        offer = NO_FUNCTIONS
    return (
        f"You wrote:\n\n{quoted}\n\nI am the **demo model**, a script and no AI, so I cannot "
        f"answer that. {offer} Write `help` for all I know.\n\n{REAL_MODEL}"
    )


def _usage(function: Function) -> str:
    """How to ask for a call, as Markdown."""
    examples = " ".join(
        f"{name}={_example(function.properties[name])}" for name in function.required
    )
    return f"`{function.name} {examples}`" if examples else f"`{function.name}`"


def _example(schema: Mapping[str, Any]) -> str:
    given = [*schema.get("examples", []), *schema.get("enum", [])]
    if given:
        return json.dumps(given[0], ensure_ascii=False)
    kinds = {"integer": "1", "number": "1.5", "boolean": "true", "array": "[]", "object": "{}"}
    return kinds.get(str(schema.get("type")), '"..."')


# Results


def _results(messages: Messages, functions: Sequence[Function]) -> str:
    """What the calls brought to which the last messages are the answers."""
    asked = next(message for message in reversed(messages) if message.get("tool_calls"))
    names = {call["id"]: call["function"]["name"] for call in asked["tool_calls"]}
    known = {function.tool: function for function in functions}
    answers = messages[len(messages) - len(names) :]
    return "\n\n".join(
        _result(names[answer["tool_call_id"]], answer["content"], known) for answer in answers
    )


def _result(tool: str, content: str, known: Mapping[str, Function]) -> str:
    function = known.get(tool)
    name = f"**{function.name}** on {function.remotename}" if function else f"**{tool}**"
    if content.startswith("Error"):
        return f"{name} failed. {_fenced(content)}"
    try:
        value = json.loads(content)
    except ValueError:
        return f"{name} returned: {_fenced(content)}"
    if value is None:
        return f"{name} is done; it returned nothing."
    if isinstance(value, bool | int | float):
        return f"{name} returned **{json.dumps(value)}**."
    if isinstance(value, str):
        return f"{name} returned: {_fenced(value)}"
    return f"{name} returned: {_fenced(json.dumps(value, indent=2, ensure_ascii=False), 'json')}"


def _fenced(text: str, language: str = "") -> str:
    """``text`` as a block of code, whatever is in it."""
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}\n…"
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", shown)), 3)
    return f"\n\n{fence}{language}\n{shown}\n{fence}"
