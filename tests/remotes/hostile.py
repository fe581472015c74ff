"""Schemas and arguments that are made to hold up or to kill whoever checks them."""

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

SELF: Schema = {"$ref": "#/$defs/node"}
CHILD: Schema = {"type": "object", "properties": {"a": SELF}, "required": ["a"]}
NUMBERS = [str(number) for number in range(6000)]


def nested(depth: int, value: object) -> object:
    """Objects in each other, ``value`` in the innermost."""
    for _ in range(depth):
        value = {"a": value}
    return value


def of_x(schema: Schema, **more: Any) -> Schema:
    """Parameters with one property called ``x``."""
    return {"type": "object", "properties": {"x": schema}, **more}


def recursive(node: Schema) -> Schema:
    """``x`` is a node, which refers to itself."""
    return of_x(SELF, **{"$defs": {"node": node}})


def chain(length: int, step: Callable[[Schema], Schema], end: Schema) -> Schema:
    """``x`` is the first of definitions that refer each to the next one."""
    names = [f"#/$defs/a{number}" for number in range(length + 1)]
    steps = {f"a{number}": step({"$ref": names[number + 1]}) for number in range(length)}
    return of_x({"$ref": names[0]}, **{"$defs": {**steps, f"a{length}": end}})


def each_property(schemas: list[Schema]) -> Schema:
    """Properties with these schemas."""
    return {"type": "object", "properties": dict(zip(NUMBERS, schemas, strict=False))}


AGAIN: Schema = {"properties": {"a": {"$ref": "#/$defs/a0"}}}
TWO_WAYS = [CHILD, {**CHILD, "title": "again"}]

SCHEMAS: dict[str, tuple[Schema, object]] = {
    "either of two, all the way down": (recursive({"anyOf": TWO_WAYS}), nested(120, 1)),
    "exactly one of two": (recursive({"oneOf": [*TWO_WAYS, {"type": "integer"}]}), nested(120, 1)),
    "one of 300": (
        recursive({"anyOf": [{**CHILD, "title": name} for name in NUMBERS[:300]]}),
        nested(120, 1),
    ),
    "not not": (recursive({"anyOf": [{"not": {"not": CHILD}}, CHILD]}), nested(120, 1)),
    "if, then, else": (recursive({"if": CHILD, "then": CHILD, "else": CHILD}), nested(120, 1)),
    "all of both": (recursive({"allOf": [{"properties": {"a": SELF}}] * 2}), nested(120, 1)),
    "dependent on itself": (
        recursive({"dependentSchemas": {"a": {"properties": {"a": SELF}}}, **CHILD}),
        nested(120, 1),
    ),
    "unevaluated, again and again": (
        recursive({"anyOf": TWO_WAYS, "unevaluatedProperties": SELF}),
        nested(120, {}),
    ),
    "unevaluated in a row": (
        chain(20, lambda ref: {"allOf": [ref], "unevaluatedProperties": False}, AGAIN),
        nested(100, {}),
    ),
    "itself": ({"type": "object", "$ref": "#"}, {"x": 1}),
    "itself among others": ({"type": "object", "allOf": [{"$ref": "#"}]}, {"x": 1}),
    "not itself": ({"type": "object", "not": {"$ref": "#"}}, {"x": 1}),
    "doubled 30 times": (chain(30, lambda ref: {"allOf": [ref, ref]}, {"type": "object"}), 1),
    "doubled 11 times": (chain(11, lambda ref: {"allOf": [ref, ref]}, {"type": "object"}), 1),
    "1,500 references in a row": (chain(1500, lambda ref: ref, AGAIN), nested(120, {})),
    "400 references for each level": (chain(400, lambda ref: ref, AGAIN), nested(120, {})),
    "60 references for each level": (chain(60, lambda ref: ref, AGAIN), nested(120, {})),
    "1,200 levels of items": (chain(1200, lambda ref: {"items": ref}, {"type": "null"}), []),
    "arrays among 6,000": (of_x({"items": {"enum": [[n] for n in range(6000)]}}), [[5999]] * 9000),
    "texts among 6,000": (of_x({"items": {"enum": NUMBERS}}), ["no"] * 90_000),
    "values among 9,000": (of_x({"items": {"enum": [*range(9000), "x"]}}), [-1] * 90_000),
    "5,000 names required": ({"type": "object", "required": NUMBERS[:5000]}, 1),
    "2,500 properties": (
        {**each_property([{"type": "null"}] * 2500), "additionalProperties": False},
        {f"y{number}": 1 for number in range(50_000)},
    ),
    "2,000 dependent": (
        {"type": "object", "dependentSchemas": {n: {"type": "object"} for n in NUMBERS[:2000]}},
        dict.fromkeys(NUMBERS, 1),
    ),
    "names out of 3,000": (
        {"type": "object", "propertyNames": {"anyOf": [{"const": n} for n in NUMBERS[:3000]]}},
        {f"y{number}": 1 for number in range(50_000)},
    ),
    "200,000 wrong values": (of_x({"items": {"type": "integer"}}), ["no"] * 190_000),
    "200,000 fitting values": (of_x({"items": {"type": "integer"}}), [1] * 450_000),
    "contains 100,000": (of_x({"contains": {"const": "x"}, "minContains": 99_999}), ["x"] * 99_999),
    "different arrays": (of_x({"uniqueItems": True}), [[number] for number in range(90_000)]),
    "look-ahead": (of_x({"pattern": "(?=a)(a+)+b"}), "a" * 30_000),
    "look-ahead, often": (of_x({"items": {"pattern": "(?=a)(a+)+b"}}), ["a" * 190] * 35),
    "back-reference": (of_x({"items": {"pattern": r"(a+)\1+b"}}), ["a" * 190] * 35),
    "nested repetition": (of_x({"pattern": "^(a+)+$"}), "a" * 900_000 + "b"),
    "many states": (of_x({"pattern": "[ab]*a[ab]{300}[cd]"}), "abaabbab" * 110_000),
    "many states, short": (of_x({"pattern": "[ab]*a[ab]{300}[cd]"}), "abaabbab" * 10),
    "a million states": (of_x({"pattern": "(a{1000}){1000}"}), "a"),
    "all letters, 10 times each": (each_property([{"pattern": r"[\p{L}]{10}"}] * 200), 1),
    "all letters": (each_property([{"pattern": rf"\p{{L}}+{n}"} for n in range(200)]), 1),
    "many patterns": (each_property([{"pattern": f"(?:a|b{n})*c"} for n in range(1500)]), 1),
    "patterns for names": (
        {"type": "object", "patternProperties": {f"{n}.*b": {"type": "null"} for n in range(150)}},
        {f"x{number}": 1 for number in range(50_000)},
    ),
    "120 levels": (of_x(nested(118, {"not": {}})), 1),  # type: ignore[arg-type]
    "3,000 times not": ({"type": "object", "allOf": [{"not": {"not": {}}}] * 3000}, 1),
    "2,500 times not": (each_property([{"not": {}}] * 2500), 1),
    "one of 3,000 at the top": (
        {"type": "object", "anyOf": [{"required": [n]} for n in NUMBERS[:2500]]},
        1,
    ),
    "the same large one 1,000 times": (
        {
            "type": "object",
            "$defs": {"n": each_property([{}] * 1500)},
            "anyOf": [{"$ref": "#/$defs/n"}] * 1000,
        },
        1,
    ),
}
"""By what they are: parameters, and the value of ``x``, or all arguments where that is no ``x``."""


def arguments(value: object, schema: Schema) -> dict[str, Any]:
    """The arguments of a call."""
    if isinstance(value, dict) and "x" not in schema.get("properties", {}):
        return value
    return {"x": value}
