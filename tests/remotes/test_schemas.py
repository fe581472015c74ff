"""Schemas as tool servers ship them: registered, checked with words that help, and offered."""

import json
from typing import Any

import msgspec
import pytest

from remotes.exceptions import InvalidArgsError
from remotes.functions import RefusedFunctionError, RemoteFunction
from remotes.tools import RemoteToolSpec
from tests.support import openai_rules

Schema = dict[str, Any]

ORDER: Schema = {
    "type": "object",
    "properties": {"cond": {"$ref": "#/$defs/Cond", "description": "filter"}},
    "required": ["cond"],
    "$defs": {
        "Cond": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "range": {"$ref": "#/$defs/Range"}},
            "required": ["id"],
        },
        "Range": {
            "type": "object",
            "properties": {
                "from": {"type": "string", "format": "date-time"},
                "to": {"type": ["string", "null"], "default": None},
            },
        },
    },
}
FIELD: Schema = {
    "type": "object",
    "properties": {"id": {"type": "number"}, "value": {"type": ["string", "number", "boolean"]}},
}
UPDATE: Schema = {
    "type": "object",
    "properties": {"fields": {"type": "array", "items": FIELD}},
    "additionalProperties": False,
}
FIND: Schema = {
    "type": "object",
    "properties": {
        "owners": {
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
            "default": None,
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "default": 10,
            "nullable": True,
        },
    },
}
RULE: Schema = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "properties": {"type": "object"},
        "required": {"type": "boolean"},
        "parameters": {"type": "object"},
    },
}
RULES: Schema = {"type": "object", "properties": {"rules": {"type": "array", "items": RULE}}}
EITHER: Schema = {
    "type": "object",
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    "properties": {"a": {}, "b": {}},
}
META: Schema = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "x-order": 1,
}
UNION: Schema = {
    "type": "object",
    "oneOf": [
        {
            "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
            "required": ["kind", "path"],
        },
        {
            "properties": {"kind": {"const": "page"}, "url": {"type": "string"}},
            "required": ["kind", "url"],
        },
    ],
}
SHIPPED: dict[str, tuple[Schema, Schema]] = {
    "definitions within definitions": (
        ORDER,
        {"cond": {"id": 1, "range": {"from": "2026-01-01T00:00:00Z", "to": None}}},
    ),
    "several types": (UPDATE, {"fields": [{"id": 1, "value": True}, {"id": 2, "value": 2.5}]}),
    "a list or null": (FIND, {"owners": None}),
    "properties called like keywords": (RULES, {"rules": [{"type": "creation", "required": True}]}),
    "one of two required": (EITHER, {"b": 1}),
    "an older draft": (META, {"a": "x"}),
    "a union at the top": (UNION, {"kind": "page", "url": "x"}),
    "two schemas at the top": (
        {"allOf": [{"properties": {"a": {"type": "array"}}, "required": ["a"]}, FIND]},
        {"a": [1]},
    ),
    "a reference at the top": (
        {"$ref": "#/definitions/Args", "definitions": {"Args": FIND, "Other": True}},
        {"limit": 3},
    ),
    "a reference by its own id": (
        {
            "$id": "https://example.com/find.json",
            "type": "object",
            "properties": {"one": {"$ref": "https://example.com/find.json#/$defs/One"}},
            "$defs": {"One": {"type": "integer"}},
        },
        {"one": 1},
    ),
    "an anchor": (
        {
            "properties": {"one": {"$ref": "#one"}},
            "$defs": {"One": {"$anchor": "one", "type": "integer"}},
        },
        {"one": 1},
    ),
    "a reference to another property": (
        {"properties": {"a": FIELD, "b": {"$ref": "#/properties/a"}}},
        {"b": {"id": 1}},
    ),
    "yes and no as schemas": (
        {"properties": {"any": True, "list": {"type": "array", "items": True}}},
        {"any": [1], "list": [None]},
    ),
    "items by position": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"pair": {"type": "array", "items": [{"type": "string"}, {}]}},
        },
        {"pair": ["x", 1]},
    ),
    "limits of draft 4": (
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": True}},
        },
        {"n": 0.5},
    ),
    "arrays that say nothing of their items": (
        {"properties": {"a": {"type": "array"}, "b": {"type": ["array", "null"]}}},
        {"a": [1], "b": None},
    ),
    "a tree": (
        {
            "properties": {"root": {"$ref": "#/$defs/Node"}},
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                    },
                    "required": ["name"],
                }
            },
        },
        {"root": {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}},
    ),
    "a map": (
        {"properties": {"env": {"type": "object", "additionalProperties": {"type": "string"}}}},
        {"env": {"A": "1"}},
    ),
    "patterns": (
        {
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
                "tag": {"type": "string", "pattern": r"^(?!aws:)[\p{L}\p{N}_.:/=+@-]*$"},
                "word": {"type": "string", "pattern": r"^[\p{L}\p{N}]{1,64}$"},
                "day": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
            },
            "patternProperties": {"^x-": {}},
        },
        {"id": "01234567-89ab-cdef-0123-456789abcdef", "tag": "größe", "day": "2026-01-01"},
    ),
    "conditions": (
        {
            "properties": {"mode": {"enum": ["a", "b"]}, "size": {"type": "integer"}},
            "if": {"properties": {"mode": {"const": "a"}}, "required": ["mode"]},
            "then": {"required": ["size"]},
            "dependentRequired": {"size": ["mode"]},
        },
        {"mode": "a", "size": 1},
    ),
    "keywords that nobody knows": (
        {
            "properties": {
                "when": {"type": "string", "format": "no-such-format", "example": "now"},
                "n": {"type": "integer", "format": "uint32", "examples": [1]},
            },
            "title": "Args",
            "discriminator": {"propertyName": "when"},
        },
        {"when": "now"},
    ),
}


def registered(parameters: object, name: str = "f") -> RemoteFunction:
    """The function with these parameters, as a remote sends it."""
    text = json.dumps({"name": name, "parameters": parameters})
    return RemoteFunction.from_wire(msgspec.Raw(text.encode()), 0)


def offered(parameters: object) -> dict[str, Any]:
    """What a model is given of a function with these parameters, after the strict check of it."""
    tool = RemoteToolSpec(1, "lab", registered(parameters)).to_openai_dict()
    user = {"role": "user", "content": "go"}
    assert openai_rules.faults({"model": "m", "messages": [user], "tools": [tool]}) == []
    function: dict[str, Any] = tool["function"]
    return function


@pytest.mark.parametrize("case", SHIPPED)
async def test_what_tool_servers_ship_is_registered_checked_and_offered(case: str) -> None:
    parameters, args = SHIPPED[case]
    await registered(parameters).check(args)
    schema = offered(parameters)["parameters"]
    assert all(name in schema["properties"] for name in args if not name.startswith("x-"))


@pytest.mark.parametrize("case", SHIPPED)
async def test_what_is_offered_takes_the_same_arguments(case: str) -> None:
    parameters, args = SHIPPED[case]
    await registered(offered(parameters)["parameters"]).check(args)


@pytest.mark.parametrize("parameters", [ORDER, UPDATE, FIND, RULES])
def test_what_is_fine_for_every_server_is_offered_as_it_is(parameters: Schema) -> None:
    assert offered(parameters)["parameters"] == parameters


def test_what_the_api_refuses_at_the_top_is_told_in_words_and_still_checked() -> None:
    function = offered(EITHER)
    assert function["parameters"] == {"type": "object", "properties": {"a": {}, "b": {}}}
    assert '{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}' in function["description"]
    assert "(f on lab)" in function["description"]


async def test_a_rule_that_is_only_told_in_words_holds() -> None:
    with pytest.raises(InvalidArgsError, match="a: is required and missing"):
        await registered(EITHER).check({})


def test_a_union_at_the_top_is_offered_with_all_its_properties() -> None:
    properties = offered(UNION)["parameters"]["properties"]
    assert properties["kind"] == {"oneOf": [{"const": "file"}, {"const": "page"}]}
    assert properties["path"] == properties["url"] == {"type": "string"}


def test_no_reference_is_offered_without_its_target() -> None:
    parts = [{"properties": {"a": {"type": "null"}, "b": {"$ref": "#/anyOf/0/properties/a"}}}]
    schema = offered({"anyOf": parts, "properties": {}})["parameters"]
    assert schema["properties"] == {"a": {"type": "null"}, "b": {}}


def test_the_remotes_own_copy_stays_as_it_was_sent() -> None:
    function = registered(UNION)
    assert function.offer.parameters != UNION
    assert json.loads(bytes(function.wire))["parameters"] == UNION


@pytest.mark.parametrize(
    ("property_schema", "value", "told"),
    [
        ({"type": "integer"}, "five", 'x: expected integer, not "five"'),
        ({"type": ["string", "null"]}, 1, "x: expected string or null, not 1"),
        ({"enum": ["a", "b"]}, "c", 'x: expected one of "a", "b", not "c"'),
        ({"const": 1}, 2, "x: expected 1, not 2"),
        ({"minimum": 1}, 0, "x: expected at least 1, not 0"),
        ({"maximum": 1}, 2, "x: expected at most 1, not 2"),
        ({"exclusiveMinimum": 1}, 1, "x: expected more than 1, not 1"),
        ({"multipleOf": 5}, 7, "x: expected a multiple of 5, not 7"),
        ({"minLength": 1}, "", 'x: expected at least 1 characters, not ""'),
        ({"maxLength": 2}, "abc", 'x: expected at most 2 characters, not "abc"'),
        ({"pattern": "^a"}, "b", 'x: expected text that matches ^a, not "b"'),
        ({"minItems": 1}, [], "x: expected at least 1 items, not an array of 0"),
        ({"uniqueItems": True}, [1, 1], "x: expected items that are all different, not an array"),
        ({"items": {"type": "string"}}, ["a", 2], "x.1: expected string, not 2"),
        ({"properties": {"y": {"type": "null"}}}, {"y": 1}, "x.y: expected null, not 1"),
        ({"required": ["y"]}, {}, "x.y: is required and missing"),
        ({"additionalProperties": {"type": "null"}}, {"y": 1}, "x.y: expected null, not 1"),
        ({"patternProperties": {"^y": {"type": "null"}}}, {"yy": 1}, "x.yy: expected null, not 1"),
        (
            {"properties": {"a": {}, "b": {}}, "additionalProperties": False},
            {"c": 1},
            "x.c: is unknown; known are: a, b",
        ),
        (FIND["properties"]["owners"], 5, "x: expected array or null, not 5"),
        (FIND["properties"]["owners"], [5], "x.0: expected string, not 5"),
        (UNION, {"kind": "page"}, "x.url: is required and missing"),
        (UNION, {"kind": "mail"}, 'x.kind: expected "file" or "page", not "mail"'),
        ({"allOf": [{"type": "string"}]}, 1, "x: expected string, not 1"),
        ({"type": "string"}, {"a": 1}, "x: expected string, not an object"),
        (False, 1, "x: is not allowed here"),
        ({"not": {"type": "null"}}, None, "they do not fit the schema"),
    ],
)
async def test_a_fault_names_its_path_and_what_was_expected(
    property_schema: object, value: object, told: str
) -> None:
    with pytest.raises(InvalidArgsError) as raised:
        await registered({"properties": {"x": property_schema}}).check({"x": value})
    assert told in raised.value.message
    assert "f" in raised.value.message
    assert told.startswith(raised.value.details[0]["path"])


async def test_a_fault_is_short_whatever_is_wrong() -> None:
    keys = {f"key{number}": {"enum": ["x" * 3000] * 2} for number in range(8)}
    function = registered({"properties": keys, "additionalProperties": False})
    with pytest.raises(InvalidArgsError) as raised:
        await function.check({**dict.fromkeys(keys, "y" * 3000), "z" * 3000: 1})
    assert len(raised.value.details) == 5
    assert len(raised.value.message) < 3500


@pytest.mark.parametrize(
    "parameters",
    [
        "text",
        [],
        {"type": "array", "items": {}},
        {"properties": {"mode": "string"}},
        {"properties": {"a": {"type": "any"}}},
        {"properties": {"a": {"type": "string", "required": True}}},
        {"properties": {"a": {"$ref": "#/$defs/none"}}},
        {"properties": {"a": {"pattern": "[a"}}},
        {"properties": {"a": {"$id": "https://example.com/", "type": "string"}}},
        {"$schema": "https://example.com/unknown"},
    ],
)
def test_a_schema_that_is_none_is_refused_with_path_and_reason(parameters: object) -> None:
    with pytest.raises(RefusedFunctionError) as refused:
        registered(parameters, "odd")
    assert refused.value.refusal.name == "odd"
    assert refused.value.refusal.path.startswith("functions.0.parameters")
    assert refused.value.refusal.message
