"""Where arguments do not fit a schema, in words that a model can act on.

The validator says whether they fit. Why they do not is looked for here, keyword by keyword: its own
list of faults copies whole values, and grows without bound where schemas refer to themselves.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from gateway.exceptions import Detail
from remotes.bounds import own_steps
from remotes.schemas import (
    FANCY,
    References,
    Schema,
    SchemaError,
    Validator,
    compiled,
    shortened,
)

FAULTS = 5
"""Faults of one set of arguments that are told."""
DEEPEST = 80
"""Places in each other that are looked at."""
QUOTED = 60
"""Characters of a value that is quoted."""
LISTED = 300
"""Characters of a list of what would fit."""

UNCLEAR = "they do not fit the schema"

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Fault:
    path: Path
    expected: str
    found: str = ""
    kind: bool = False
    """Whether the value is another kind of thing than was meant: of another type, or const."""

    def told(self) -> Detail:
        path = shortened(".".join(self.path))
        return {"path": path, "message": shortened(self._message(), 2 * LISTED)}

    def _message(self) -> str:
        return f"expected {self.expected}, not {self.found}" if self.found else self.expected


def found(schema: Schema, references: References, value: object, looks: int) -> list[Detail] | None:
    """Why ``value``, which the validator refuses, does not fit: at most :data:`FAULTS` reasons.

    None where none is found in ``looks`` places, and there are more.
    """
    search = _Search(schema, references, looks)
    faults = search.look(schema, value, ())
    if not faults and search.ended_early:
        return None
    told = [fault.told() for fault in dict.fromkeys(faults)]
    return told or [{"path": "", "message": UNCLEAR}]


class _Search:
    """A look through a value with the schema in hand, of so many places at most."""

    def __init__(self, schema: Schema, references: References, looks: int) -> None:
        self._dialect = {key: schema[key] for key in ("$schema",) if key in schema}
        self._references = references
        self._left = looks
        self._depth = 0
        self._alone: dict[tuple[str, int], tuple[Validator | None, int]] = {}

    @property
    def ended_early(self) -> bool:
        """Whether there was more to look at than allowed."""
        return self._left < 0

    def look(self, node: Any, value: object, path: Path) -> list[_Fault]:
        """The first faults of ``value`` at ``path``; none once enough has been looked at."""
        self._left -= 1
        if node is False:
            return [_Fault(path, "is not allowed here")]
        if not isinstance(node, dict) or self._left < 0 or self._depth > DEEPEST:
            return []
        self._depth += 1
        faults = list(islice(self._faults(node, value, path), FAULTS))
        self._depth -= 1
        return faults

    def _faults(self, node: dict[str, Any], value: object, path: Path) -> Iterator[_Fault]:
        for key, wanted in node.items():
            if key in _WORDS:
                if not self._fits(key, wanted, value):
                    kind = key in ("type", "const", "enum")
                    yield _Fault(path, _WORDS[key](wanted), _quoted(value), kind)
            elif key in ("$ref", "$dynamicRef", "$recursiveRef"):
                yield from self.look(self._target(wanted), value, path)
            elif key == "allOf":
                for part in wanted:
                    yield from self.look(part, value, path)
            elif key in ("anyOf", "oneOf"):
                yield from self._choice(wanted, value, path)
        if isinstance(value, dict):
            yield from self._properties(node, value, path)
        elif isinstance(value, list):
            yield from self._items(node, value, path)

    def _fits(self, key: str, wanted: object, value: object) -> bool:
        if (key, id(wanted)) not in self._alone:
            validator = self._compiled({**self._dialect, key: wanted})
            self._alone[key, id(wanted)] = validator, own_steps(key, wanted) // 200
        validator, looks = self._alone[key, id(wanted)]
        self._left -= looks
        return self._left < 0 or validator is None or bool(validator.is_valid(value))

    def _compiled(self, keyword: Schema) -> Validator | None:
        try:
            return compiled(keyword, FANCY)
        except SchemaError:
            return None

    def _target(self, reference: object) -> Any:
        return self._references.target(reference) if isinstance(reference, str) else None

    def _choice(self, choices: list[Any], value: object, path: Path) -> list[_Fault]:
        """Why none of ``choices`` fits: what the one that was most likely meant misses."""
        missed = []
        for choice in choices:
            missed.append(self.look(choice, value, path))
            if not missed[-1]:
                return []
        least = min(missed, key=_distance)
        first = next((fault for fault in least if fault.kind), None)
        if first is None:
            return least
        alike = [
            fault
            for faults in missed
            for fault in faults
            if fault.kind and fault.path == first.path
        ]
        expected = " or ".join(dict.fromkeys(fault.expected for fault in alike))
        return [replace(first, expected=shortened(expected, LISTED))]

    def _properties(
        self, node: dict[str, Any], value: dict[str, Any], path: Path
    ) -> Iterator[_Fault]:
        known = _map(node.get("properties"))
        for name in _list(node.get("required")):
            if name not in value:
                yield _Fault((*path, str(name)), "is required and missing")
        for name, one in value.items():
            below = (*path, name)
            patterns = [
                schema
                for pattern, schema in _map(node.get("patternProperties")).items()
                if self._fits("pattern", pattern, name)
            ]
            for schema in patterns:
                yield from self.look(schema, one, below)
            if name in known:
                yield from self.look(known[name], one, below)
            elif not patterns and node.get("additionalProperties") is False:
                there = ", ".join(known) or "none"
                yield _Fault(below, f"is unknown; known are: {shortened(there, LISTED)}")
            elif not patterns:
                yield from self.look(node.get("additionalProperties"), one, below)

    def _items(self, node: dict[str, Any], value: list[Any], path: Path) -> Iterator[_Fault]:
        first = node.get("prefixItems", node.get("items"))
        heads = _list(first)
        rest = node.get("items") if "prefixItems" in node else node.get("additionalItems")
        each = rest if isinstance(first, list) else first
        for index, one in enumerate(value):
            if self._left < 0:
                return
            schema = heads[index] if index < len(heads) else each
            yield from self.look(schema, one, (*path, str(index)))


def _distance(faults: list[_Fault]) -> tuple[int, int]:
    return sum(fault.kind for fault in faults), len(faults)


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# Words


def _quoted(value: object) -> str:
    """What a value is, short."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, str) and len(value) > QUOTED:
        return f"{json.dumps(value[:QUOTED], ensure_ascii=False)} … ({len(value)} characters)"
    return shortened(json.dumps(value, ensure_ascii=False), 2 * QUOTED)


def _constant(value: Any) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), LISTED)


def _type(kinds: Any) -> str:
    return " or ".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)


def _one_of(options: list[Any]) -> str:
    listed: list[str] = []
    room = LISTED
    for option in options:
        text = _constant(option)
        room -= len(text) + 2
        if room < 0:
            return f"one of {', '.join(listed)} and {len(options) - len(listed)} more"
        listed.append(text)
    return f"one of {', '.join(listed)}"


_WORDS: dict[str, Callable[[Any], str]] = {
    "const": _constant,
    "dependentRequired": lambda needed: f"the properties that go together: {_constant(needed)}",
    "enum": _one_of,
    "exclusiveMaximum": lambda limit: f"less than {limit}",
    "exclusiveMinimum": lambda limit: f"more than {limit}",
    "maxItems": lambda limit: f"at most {limit} items",
    "maxLength": lambda limit: f"at most {limit} characters",
    "maxProperties": lambda limit: f"at most {limit} properties",
    "maximum": lambda limit: f"at most {limit}",
    "minItems": lambda limit: f"at least {limit} items",
    "minLength": lambda limit: f"at least {limit} characters",
    "minProperties": lambda limit: f"at least {limit} properties",
    "minimum": lambda limit: f"at least {limit}",
    "multipleOf": lambda step: f"a multiple of {step}",
    "pattern": lambda pattern: f"text that matches {shortened(pattern)}",
    "type": _type,
    "uniqueItems": lambda unique: "items that are all different",
}
"""What each keyword expects of a value."""
