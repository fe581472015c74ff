"""Reads a call's arguments as they are typed on a command line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from remotes_client.errors import RemotesError


class UsageError(RemotesError):
    """What was typed can't be read as arguments."""


def read_arguments(words: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments from one JSON object, or from words such as ``path=/tmp depth=2``.

    A word's value is text where ``schema`` wants text, else JSON, else text.

    Raises:
        UsageError: A word has no ``=``, or the JSON is none or no object.
    """
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return _read_object(words[0])
    properties = schema.get("properties") or {}
    pairs = [word.partition("=") for word in words]
    for name, sign, _ in pairs:
        if not sign or not name:
            raise UsageError(f"{name} is no argument: give key=value, or one JSON object.")
    return {name: _read_value(text, properties.get(name)) for name, _, text in pairs}


def _read_object(text: str) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise UsageError(f"The arguments are no JSON: {error}.") from error
    return value


def _read_value(text: str, schema: Any) -> Any:
    kinds = _types(schema)
    if "string" in kinds and not (text == "null" and "null" in kinds):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _types(schema: Any) -> set[str]:
    """The JSON types that a schema allows, as far as it says so plainly."""
    if not isinstance(schema, dict):
        return set()
    kinds = schema.get("type") or []
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    return found.union(*(_types(part) for part in schema.get("anyOf") or ()))
