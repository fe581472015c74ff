"""The strict model server refuses what it is there to refuse."""

from typing import Any

import pytest

from tests.support import openai_rules

USER = {"role": "user", "content": "go"}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request with these messages after the user's first."""
    return {"model": "m", "stream": True, "messages": [USER, *messages], **more}


def asks(*ids: object, name: str = "echo", arguments: object = "{}", **more: Any) -> dict[str, Any]:
    """An assistant's message with calls."""
    function = {"name": name, "arguments": arguments}
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def answers(id: object, content: object = "ok") -> dict[str, Any]:
    """A tool's message."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def tool(parameters: object, name: str = "echo", description: object = "") -> dict[str, Any]:
    """A request that offers one function."""
    function = {"name": name, "description": description, "parameters": parameters}
    return body(tools=[{"type": "function", "function": function}])


def picture(kind: str, data: str) -> dict[str, Any]:
    """A part of a message that is an image."""
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}


PICTURE = picture("image/png", "iVBORw0KGgo=")
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}


def test_a_good_request_has_no_faults() -> None:
    good = body(
        asks("a", "b"),
        answers("a"),
        answers("b"),
        {"role": "assistant", "content": "done"},
        USER,
        {"role": "user", "content": [{"type": "text", "text": "see"}, PICTURE]},
        tools=tool(EMPTY)["tools"],
    )
    assert openai_rules.faults(good) == []


BAD = {
    "unknown argument": body(messages_=[]),
    "no model": body() | {"model": ""},
    "no messages": body() | {"messages": []},
    "unknown role": body({"role": "robot", "content": "x"}),
    "no content": body({"role": "user", "content": None}),
    "unknown part": body({"role": "user", "content": [{"type": "words", "text": "x"}]}),
    "empty assistant message": body({"role": "assistant", "content": ""}),
    "null beside calls": body(asks("a", content=None), answers("a")),
    "no calls in the list": body({"role": "assistant", "content": "x", "tool_calls": []}),
    "extra key": body({"role": "assistant", "content": "x", "reasoning_content": "y"}),
    "empty id": body(asks(""), answers("")),
    "long id": body(asks("x" * 41), answers("x" * 41)),
    "id twice in a message": body(asks("a", "a"), answers("a"), answers("a")),
    "id again later": body(asks("a"), answers("a"), asks("a"), answers("a")),
    "bad name in a call": body(asks("a", name="a b"), answers("a")),
    "arguments that are no text": body(asks("a", arguments={}), answers("a")),
    "arguments that are no object": body(asks("a", arguments="[]"), answers("a")),
    "arguments that are no JSON": body(asks("a", arguments='{"n":NaN}'), answers("a")),
    "unanswered": body(asks("a")),
    "unanswered before the user": body(asks("a"), USER),
    "one of two unanswered": body(asks("a", "b"), answers("a"), USER),
    "out of order": body(asks("a", "b"), answers("b"), answers("a")),
    "answered twice": body(asks("a"), answers("a"), answers("a")),
    "answer to nothing": body(answers("a")),
    "answer that is no text": body(asks("a"), answers("a", {"n": 1})),
    "no tools in the list": body(tools=[]),
    "too many tools": body(
        tools=[tool(EMPTY, f"echo{number}")["tools"][0] for number in range(129)]
    ),
    "tools with one name": body(tools=tool(EMPTY)["tools"] * 2),
    "bad name": tool(EMPTY, "a.b"),
    "long name": tool(EMPTY, "x" * 65),
    "null description": tool(EMPTY, description=None),
    "long description": tool(EMPTY, description="x" * 1025),
    "schema that is no object": tool("text"),
    "schema of an array": tool({"type": "array", "items": {}}),
    "schema without properties": tool({"type": "object"}),
    "schema with a choice at the top": tool({**EMPTY, "anyOf": []}),
    "property that is no schema": tool({**EMPTY, "properties": {"a": "string"}}),
    "unknown type": tool({**EMPTY, "properties": {"a": {"type": "any"}}}),
    "property that is a yes": tool({**EMPTY, "properties": {"a": True}}),
    "array or null without items": tool(
        {**EMPTY, "properties": {"a": {"anyOf": [{"type": ["array", "null"]}]}}}
    ),
    "items by position": tool(
        {**EMPTY, "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}
    ),
    "image for the assistant": body({"role": "assistant", "content": [PICTURE]}),
    "image that is none": body({"role": "user", "content": [picture("image/png", "AAAA")]}),
    "image as Base64 alone": body(
        {"role": "user", "content": [picture("image/svg+xml", "PHN2Zz4=")]}
    ),
    "no parts": body({"role": "user", "content": []}),
    "array without items": tool({**EMPTY, "properties": {"a": {"type": "array"}}}),
    "reference to nowhere": tool({**EMPTY, "properties": {"a": {"$ref": "http://x.test/y"}}}),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_request_has_faults(case: str) -> None:
    assert openai_rules.faults(BAD[case])
