"""Function schemas: reading them as docs/protocol.md wants, and compiling them.

A schema comes from a user, so it is hostile input: nothing is fetched, and nothing is compiled
before ``remotes.bounds`` has found it small enough.
"""

import re
from collections.abc import Iterator
from typing import Any, NoReturn
from urllib.parse import unquote

import jsonschema_rs

SHOWN = 200
"""Characters of a fault's text."""
PATTERN_SIZE = 200_000
"""Bytes that one compiled pattern may take."""
NO_PATTERN = "is a pattern that cannot be read, or is too large"
BACKTRACKS = 10_000
"""Steps that a pattern with look-around or back-references may take."""

REFERENCES = ("$dynamicRef", "$recursiveRef", "$ref")
"""Keywords that put another subschema into their place."""
IN_PLACE = frozenset(
    [
        "allOf",
        "anyOf",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "then",
    ]
)
"""Keywords whose subschemas apply to the same value."""
_SINGLE = IN_PLACE - {"allOf", "anyOf", "dependencies", "dependentSchemas", "oneOf"} | {
    "additionalItems",
    "additionalProperties",
    "contains",
    "items",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
}
_LISTS = {"allOf", "anyOf", "items", "oneOf", "prefixItems"}
_MAPS = {"dependencies", "dependentSchemas", "patternProperties", "properties"}

_POSITION = re.compile("[0-9]{1,6}")

Schema = dict[str, Any]
Patterns = jsonschema_rs.RegexOptions | jsonschema_rs.FancyRegexOptions
Validator = Any
"""A compiled schema of jsonschema-rs, whose types have no common base."""

LINEAR = jsonschema_rs.RegexOptions(size_limit=PATTERN_SIZE)
"""Patterns without look-around and back-references: their time grows with the text alone."""
FANCY = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKS, size_limit=PATTERN_SIZE)


class SchemaError(ValueError):
    """A schema that cannot be used; ``path`` says where the fault is."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


def normalised(parameters: Schema | None) -> Schema:
    """The schema that a function's ``parameters`` stand for.

    None and ``{}`` are an object without named properties; ``properties`` and ``required`` that
    are null are dropped.

    Raises:
        SchemaError: Its type is not object.
    """
    schema = {
        key: value
        for key, value in (parameters or {}).items()
        if not (key in ("properties", "required") and value is None)
    }
    if schema.setdefault("type", "object") != "object":
        raise SchemaError(f"The type must be object, not {schema['type']!r}.", "type")
    return schema


def compiled(schema: Schema, patterns: Patterns) -> Validator:
    """``schema`` ready to check values.

    Raises:
        SchemaError: It is no valid JSON Schema, or has a pattern that is none of this kind.
    """
    try:
        return jsonschema_rs.validator_for(
            schema, validate_formats=False, retriever=_refuse, pattern_options=patterns
        )
    except jsonschema_rs.ValidationError as error:
        path = ".".join(str(step) for step in error.instance_path)
        message = error.message.replace('is not a "regex"', NO_PATTERN)
        raise SchemaError(shortened(message), path) from error
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        raise SchemaError(shortened(str(error))) from error


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} lies outside the schema, and nothing is fetched.")


def shortened(text: str, room: int = SHOWN) -> str:
    """``text`` if it has at most ``room`` characters, else its beginning and its end."""
    if len(text) <= room:
        return text
    half = room // 2
    return f"{text[:half]} … {text[-half:]}"


class References:
    """What the references of a schema lead to.

    Raises:
        SchemaError: There is an ``$id`` below the top, which would change what they mean.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._own_id = str(schema.get("$id", "")).rstrip("#")
        self._anchors: dict[str, Any] = {}
        for node in nodes(schema):
            if node is not schema and isinstance(node.get("$id"), str):
                raise SchemaError("$id is taken only at the top of a schema.")
            for key in ("$anchor", "$dynamicAnchor"):
                if isinstance(node.get(key), str):
                    self._anchors[node[key]] = node

    def target(self, reference: str) -> Any:
        """The subschema that ``reference`` names; None if there is no such.

        Raises:
            SchemaError: It leads out of the schema.
        """
        base, _, fragment = reference.partition("#")
        if base and base != self._own_id:
            raise SchemaError(f"The reference {shortened(reference)} leads out of the schema.")
        if not fragment.startswith("/"):
            return self._anchors.get(fragment, self._schema)
        target: Any = self._schema
        for step in fragment[1:].split("/"):
            target = _child(target, unquote(step).replace("~1", "/").replace("~0", "~"))
        return target


def subschemas(key: str, value: Any) -> Iterator[Any]:
    """The subschemas that a keyword applies, references apart."""
    if key in _MAPS and isinstance(value, dict):
        yield from value.values()
    elif key in _LISTS and isinstance(value, list):
        yield from value
    elif key in _SINGLE:
        yield value


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in ``value``, itself included."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)


def _child(node: Any, step: str) -> Any:
    if isinstance(node, dict):
        return node.get(step)
    if isinstance(node, list) and _POSITION.fullmatch(step) and int(step) < len(node):
        return node[int(step)]
    return None
