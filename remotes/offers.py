"""A function's schema as model servers take it, which is less than JSON Schema allows.

OpenAI's API refuses a whole request for one schema that has no ``properties``, a choice at its top
or an array without ``items``. What is left out here is said in words, and checked on our side all
the same.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from remotes.schemas import References, Schema, shortened, subschemas

RULE_LENGTH = 400
"""Characters of the rules that are told in words."""
PARTS = 50
"""Schemas at the top that are told as one."""
HOPS = 10
"""References from the top to another schema that are followed."""

_REFUSED_AT_THE_TOP = ("allOf", "anyOf", "enum", "not", "oneOf")
_MERGED = ("allOf", "anyOf", "oneOf")
_SAID = {"description", "properties", "required", "title", "type"}
"""What is said of a part that is merged into the top."""
_DEFINITIONS = ("$defs", "definitions")


class Offer(NamedTuple):
    """What a model is given of a schema."""

    parameters: Schema
    rules: str
    """What ``parameters`` leaves out, in words; empty where that is nothing."""


def offered(schema: Schema) -> Offer:
    """``schema`` as every model server takes it."""
    references = References(schema)
    top = _without_reference(schema, references)
    rules = {key: top.pop(key) for key in _REFUSED_AT_THE_TOP if key in top}
    parts = {key: _parts(rules, key, references) for key in _MERGED}
    top["type"] = "object"
    top["properties"] = _properties(top, parts)
    if required := _required(top, parts["allOf"]):
        top["required"] = required
    if parts["allOf"] and all(part.keys() <= _SAID for part in parts["allOf"]):
        del rules["allOf"]
    told = ""
    if rules:
        text = shortened(json.dumps(rules, ensure_ascii=False), RULE_LENGTH)
        told = f"The arguments must also fit this JSON Schema: {text}"
    return Offer(_plain(top, _Pointers(schema, top)), told)


def _without_reference(schema: Schema, references: References) -> Schema:
    """A copy of ``schema``, in which what its top refers to stands at its top."""
    top = dict(schema)
    for _ in range(HOPS):
        reference = top.pop("$ref", None)
        target = references.target(reference) if isinstance(reference, str) else None
        if not isinstance(target, dict) or target is schema:
            break
        top = {**target, **top}
    return top


def _parts(rules: Schema, key: str, references: References) -> list[Schema]:
    """The schemas in ``key``, if they are few enough to be told as one."""
    parts = [part for part in subschemas(key, rules.get(key)) if isinstance(part, dict)]
    if len(parts) > PARTS:
        return []
    return [_without_reference(part, references) for part in parts]


def _properties(top: Schema, parts: Mapping[str, list[Schema]]) -> Schema:
    """What ``top`` and its parts know of each property that they name."""
    properties: Schema = dict(top.get("properties") or {})
    for key, together in parts.items():
        named: dict[str, list[Any]] = {}
        for part in together:
            for name, schema in (part.get("properties") or {}).items():
                known = named.setdefault(name, [])
                if schema not in known:
                    known.append(schema)
        for name, schemas in named.items():
            properties.setdefault(name, schemas[0] if len(schemas) == 1 else {key: schemas})
    return properties


def _required(top: Schema, parts: list[Schema]) -> list[str]:
    names = [name for schema in (top, *parts) for name in schema.get("required") or ()]
    return list(dict.fromkeys(names))


class _Pointers:
    """The references of a schema as they stand in what is offered of it."""

    def __init__(self, schema: Schema, top: Schema) -> None:
        self._own_id = str(schema.get("$id", "")).rstrip("#")
        self._there = References(top)

    def rewritten(self, reference: str) -> str | None:
        """``reference`` within what is offered; None if it leads to nothing there."""
        local = reference.removeprefix(self._own_id) or "#"
        return local if self._there.target(local) is not None else None


def _plain(node: Any, pointers: _Pointers) -> Any:
    """``node`` without what some servers refuse; nothing that says what is meant is lost."""
    if not isinstance(node, dict):
        return {} if node is True else {"not": {}}
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("$schema", "$id"):
            continue
        if key in _DEFINITIONS and isinstance(value, dict):
            plain[key] = {name: _plain(one, pointers) for name, one in value.items()}
        elif key == "$ref":
            target = pointers.rewritten(value)
            if target is not None:
                plain[key] = target
        else:
            plain[key] = _keyword(key, value, lambda one: _plain(one, pointers))
    _items(plain)
    _limits(plain)
    return plain


def _keyword(key: str, value: Any, plain: Callable[[Any], Any]) -> Any:
    inside = list(subschemas(key, value))
    if not inside or isinstance(value, bool):
        return value
    if isinstance(value, list):
        return [plain(one) for one in value]
    if inside[0] is value:
        return plain(value)
    return {
        name: plain(one) if isinstance(one, dict | bool) else one for name, one in value.items()
    }


def _items(node: Schema) -> None:
    """Give every array its ``items``, as one schema."""
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        node["items"] = node.pop("additionalItems", {})
    if isinstance(node.get("items"), bool):
        node["items"] = {} if node["items"] else {"not": {}}
    kinds = node.get("type")
    if "items" not in node and (kinds == "array" or (isinstance(kinds, list) and "array" in kinds)):
        node["items"] = {}


def _limits(node: Schema) -> None:
    """Say as numbers what draft 4 says with true and false."""
    for key, inclusive in (("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")):
        if isinstance(node.get(key), bool) and node.pop(key) and inclusive in node:
            node[key] = node.pop(inclusive)
