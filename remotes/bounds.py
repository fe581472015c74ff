"""What checking a value against a schema may cost, known before anything is compiled or checked.

The unit is a step, about 25 ns of the validator. A schema's work is the steps that one value may
take: every subschema that may stand for it or for what is in it, as often as references lead there.
A cycle of references counts once, since the validator checks a value against the target of a
reference only once.
"""

import re
from collections.abc import Iterator
from typing import Any

from remotes.schemas import (
    IN_PLACE,
    REFERENCES,
    References,
    Schema,
    SchemaError,
    nodes,
    subschemas,
)

WORK = 600_000
"""Steps that one value may take, about 15 ms."""
CHAIN = 64
"""Subschemas that may apply to a value one through the other; bounds the validator's stack."""
NESTED = 400
"""Subschemas that may stand one below the other, references being followed."""
PATTERNS = 8_000
"""States of all patterns of a schema; bounds the time it takes to compile them."""
STRING = 16
"""Characters of a string that count as one value."""

_STATE = 10  # steps for STRING characters and a state of a pattern, at worst
_BACKTRACKING = 15_000  # steps of a pattern with look-around or back-references, at worst
_LONGEST = 200  # characters of a string on which such a pattern takes no more than that
_UNIQUE = 40  # steps for each value in an array whose items are to be unique
_MULTIPLE = 60  # steps to divide two numbers
_CLASS = 500  # states of a class that Unicode defines
_CLASS_AGAIN = 1500  # more states of its repetition, which is often not unrolled
_UNEVALUATED = 3  # times that a schema is applied where something looks at what it has evaluated


class Bounds:
    """The bounds of one schema.

    Attributes:
        work: Steps that one value may take.
        references: Those of the schema.

    Raises:
        SchemaError: It refers outside itself, or is too much to be compiled or checked.
    """

    def __init__(self, schema: Schema) -> None:
        self.references = References(schema)
        self._measured: dict[int, tuple[int, int]] = {}
        if sum(_states(pattern) for pattern in _patterns(schema)) > PATTERNS:
            raise SchemaError("Its patterns are too long, too many or repeat too much.")
        self.work, _ = self._measure(schema, 0)
        if self.work > WORK:
            raise SchemaError("It unfolds to so much that no value could be checked in time.")

    def _measure(self, node: Any, depth: int) -> tuple[int, int]:
        """Steps of ``node`` with all below it, and how many apply to one value in a row.

        What is being measured counts 1, so that cycles end.
        """
        if not isinstance(node, dict):
            return 1, 1
        if id(node) in self._measured:
            return self._measured[id(node)]
        if depth > NESTED:
            raise SchemaError(f"More than {NESTED} subschemas stand one below the other.")
        self._measured[id(node)] = (1, 1)
        work, chain = 1, 0
        for key, value in node.items():
            work += own_steps(key, value)
            for below, in_place in self._below(key, value):
                steps, length = self._measure(below, depth + 1)
                work += steps
                if in_place:
                    chain = max(chain, length)
        if chain >= CHAIN:
            raise SchemaError(f"More than {CHAIN} subschemas apply through each other.")
        if "unevaluatedProperties" in node or "unevaluatedItems" in node:
            work *= _UNEVALUATED
        self._measured[id(node)] = measured = (min(work, WORK + 1), chain + 1)
        return measured

    def _below(self, key: str, value: Any) -> Iterator[tuple[Any, bool]]:
        """The subschemas in a keyword, and whether they apply to the same value."""
        if key in REFERENCES and isinstance(value, str):
            yield self.references.target(value), True
        else:
            for below in subschemas(key, value):
                yield below, key in IN_PLACE


def own_steps(key: str, value: Any) -> int:
    """Steps that a keyword takes by itself, apart from its subschemas."""
    match key:
        case "enum" if isinstance(value, list):
            return 1 if all(type(one) is str for one in value) else _entries(value)
        case "const" | "required" | "dependentRequired" | "dependencies":
            return _entries(value)
        case "pattern" if isinstance(value, str):
            return _STATE * _states(value)
        case "patternProperties" if isinstance(value, dict):
            return _STATE * sum(map(_states, value))
        case "multipleOf":
            return _MULTIPLE
        case "uniqueItems" if value is True:
            return _UNIQUE
    return 0


def within(value: object, values: int, longest: int | None = None) -> bool:
    """Whether ``value`` holds at most so many values, and no string that is longer.

    A key counts as a value, and so do every :data:`STRING` characters of a string.
    """
    pending = [value]
    while pending:
        value = pending.pop()
        values -= 1
        if isinstance(value, dict):
            pending += value
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str):
            values -= len(value) // STRING
            if longest is not None and len(value) > longest:
                return False
        if values < len(pending):
            return False
    return True


def backtracking(schema: Schema) -> tuple[int, int]:
    """What the patterns of ``schema`` add where they backtrack: steps, and the longest string."""
    return _BACKTRACKING * sum(1 for _ in _patterns(schema)), _LONGEST


def _patterns(schema: Schema) -> Iterator[str]:
    for node in nodes(schema):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        if isinstance(node.get("patternProperties"), dict):
            yield from node["patternProperties"]


_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]])*\]|\{(\d{1,6})(?:,(\d{0,6}))?\}|.", re.DOTALL)


def _states(pattern: str) -> int:
    """About how many states a pattern compiles to: its repetitions are unrolled."""
    open_groups = [20]
    last = 0
    for piece in _PIECE.finditer(pattern):
        if piece[0] == "(":
            open_groups.append(1)
        elif piece[0] == ")" and len(open_groups) > 1:
            last = open_groups.pop()
            open_groups[-1] += last
        elif piece[1]:
            again = max(int(piece[1]), int(piece[2] or 0), 1) - 1
            open_groups[-1] += min(last * again, _CLASS_AGAIN if last == _CLASS else PATTERNS + 1)
        else:
            last = _CLASS if "\\p" in piece[0].lower() else 1
            open_groups[-1] += last
    return sum(open_groups)


def _entries(value: Any) -> int:
    """How many values there are in ``value``, itself included."""
    count, pending = 0, [value]
    while pending:
        value = pending.pop()
        count += 1
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return count
