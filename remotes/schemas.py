"""Function schemas: reading them as docs/protocol.md wants, and checking arguments against them.

A schema comes from a user, so it is hostile input: nothing is fetched, patterns run in linear time
or with a bound, and what references unfold to is bounded before anything is compiled.
"""

from collections.abc import Iterator
from typing import Any, NoReturn
from urllib.parse import unquote

import jsonschema_rs

from gateway.exceptions import Detail

UNFOLDED = 5000
"""Subschemas that a schema may come to when its references are followed."""
FAULTS = 5
"""Faults of one set of arguments that are told."""
SHOWN = 200
"""Characters of one fault's text."""
BACKTRACKS = 100_000
"""Steps that a pattern with look-around or back-references may take."""

Schema = dict[str, Any]


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


class ArgumentCheck:
    """A compiled schema.

    Raises:
        SchemaError: It is no valid JSON Schema, refers outside itself, or unfolds to too much.
    """

    def __init__(self, schema: Schema) -> None:
        _check_references(schema)
        try:
            self._validator = jsonschema_rs.validator_for(
                schema,
                validate_formats=False,
                retriever=_refuse,
                pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKS),
            )
        except jsonschema_rs.ValidationError as error:
            path = ".".join(str(step) for step in error.instance_path)
            raise SchemaError(_shortened(error.message), path) from error
        except (jsonschema_rs.ReferencingError, ValueError) as error:
            raise SchemaError(_shortened(str(error))) from error

    def faults(self, args: dict[str, object]) -> list[Detail]:
        """What is wrong with ``args``, at most :data:`FAULTS` of it."""
        found: list[Detail] = []
        for error in self._validator.iter_errors(args):
            path = ".".join(str(step) for step in error.instance_path)
            found.append({"path": path, "message": _shortened(error.message)})
            if len(found) == FAULTS:
                break
        return found


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} lies outside the schema, and nothing is fetched.")


def _shortened(text: str) -> str:
    if len(text) <= SHOWN:
        return text
    half = SHOWN // 2
    return f"{text[:half]} … {text[-half:]}"


def _check_references(schema: Schema) -> None:
    """Refuse references out of the document, and those that would unfold to too much."""
    anchors: dict[str, Any] = {}
    for node in _nodes(schema):
        if node is not schema and isinstance(node.get("$id"), str):
            raise SchemaError("$id is taken only at the top of a schema.")
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(key), str):
                anchors[node[key]] = node
    _Unfolding(schema, anchors).measure()


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)


class _Unfolding:
    """How many subschemas a schema comes to when each reference is replaced by its target."""

    def __init__(self, schema: Schema, anchors: dict[str, Any]) -> None:
        self._schema = schema
        self._own_id = str(schema.get("$id", "")).rstrip("#")
        self._anchors = anchors
        self._sizes: dict[int, int] = {}

    def measure(self) -> None:
        if self._size(self._schema) > UNFOLDED:
            raise SchemaError(f"It unfolds to more than {UNFOLDED} subschemas.")

    def _size(self, node: Any) -> int:
        """The size of ``node``; one that is being measured counts 1, so that cycles end."""
        if not isinstance(node, dict | list):
            return 0
        if id(node) not in self._sizes:
            self._sizes[id(node)] = 1
            children = node.values() if isinstance(node, dict) else node
            total = 1 + sum(self._size(child) for child in children)
            if isinstance(node, dict):
                total += sum(self._size(target) for target in self._targets(node))
            self._sizes[id(node)] = min(total, UNFOLDED + 1)
        return self._sizes[id(node)]

    def _targets(self, node: dict[str, Any]) -> Iterator[Any]:
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            if isinstance(node.get(key), str):
                yield self._resolve(node[key])

    def _resolve(self, reference: str) -> Any:
        base, _, fragment = reference.partition("#")
        if base and base != self._own_id:
            raise SchemaError(f"The reference {_shortened(reference)} leads out of the schema.")
        if not fragment.startswith("/"):
            return self._anchors.get(fragment, self._schema)
        target: Any = self._schema
        for step in fragment[1:].split("/"):
            target = _child(target, unquote(step).replace("~1", "/").replace("~0", "~"))
        return target


def _child(node: Any, step: str) -> Any:
    if isinstance(node, dict):
        return node.get(step)
    if isinstance(node, list) and step.isdecimal() and int(step) < len(node):
        return node[int(step)]
    return None
