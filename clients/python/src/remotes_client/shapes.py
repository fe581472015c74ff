"""The JSON forms that a type hint can have: each gives its schema and loads its values."""

import contextlib
import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from remotes_client.results import ResultError, to_json

Schema = dict[str, Any]
NO_DEFAULT = inspect.Parameter.empty


class Shape(Protocol):
    """The JSON form of one type hint."""

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        """The JSON Schema; ``within`` are the classes around it, so that recursion ends."""

    def load(self, value: Any) -> Any:
        """The hinted type's value for a JSON value; ValueError where it does not fit."""


class Anything:
    """No hint, or one that allows every JSON value."""

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        return {}

    def load(self, value: Any) -> Any:
        return value


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A type that JSON writes as one plain value."""

    form: Schema
    loader: Callable[[Any], Any]

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        return dict(self.form)

    def load(self, value: Any) -> Any:
        return self.loader(value)


@dataclasses.dataclass(frozen=True)
class Choice:
    """A ``Literal`` or an ``Enum``: the JSON values allowed, each with what it stands for."""

    options: tuple[tuple[Any, Any], ...]

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        values = [value for value, _ in self.options]
        kinds = {json_type(value) for value in values}
        return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}

    def load(self, value: Any) -> Any:
        for option, meaning in self.options:
            if json_type(option) == json_type(value) and option == value:
                return meaning
        raise ValueError(f"{value!r} is none of {[option for option, _ in self.options]}")


@dataclasses.dataclass(frozen=True)
class Array:
    """A list or set whose items share one shape."""

    items: Shape
    build: Callable[[list[Any]], Any] = list

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        unique = {"uniqueItems": True} if self.build in (set, frozenset) else {}
        return {"type": "array", "items": self.items.schema(within), **unique}

    def load(self, value: Any) -> Any:
        return self.build([self.items.load(item) for item in expect(list, value)])


@dataclasses.dataclass(frozen=True)
class Row:
    """A tuple with a shape for each place."""

    places: tuple[Shape, ...]

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        places = [place.schema(within) for place in self.places]
        length = {"minItems": len(places), "maxItems": len(places)}
        if all(place == places[0] for place in places):
            return {"type": "array", "items": places[0] if places else {}, **length}
        return {"type": "array", "prefixItems": places, **length}

    def load(self, value: Any) -> Any:
        if len(expect(list, value)) != len(self.places):
            raise ValueError(f"{len(value)} items where {len(self.places)} belong")
        return tuple(place.load(item) for place, item in zip(self.places, value, strict=True))


@dataclasses.dataclass(frozen=True)
class Table:
    """A dict whose keys and whose values share one shape."""

    keys: Shape
    values: Shape

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        values = self.values.schema(within)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}

    def load(self, value: Any) -> Any:
        members = expect(dict, value).items()
        return {self.keys.load(key): _at(key, self.values.load, member) for key, member in members}


@dataclasses.dataclass(frozen=True)
class Either:
    """A union: the first shape that a value fits is taken."""

    shapes: tuple[Shape, ...]

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        return {"anyOf": [shape.schema(within) for shape in self.shapes]}

    def load(self, value: Any) -> Any:
        faults = []
        for shape in self.shapes:
            try:
                return shape.load(value)
            except ValueError as fault:
                faults.append(str(fault))
        raise ValueError("; ".join(faults))


@dataclasses.dataclass(frozen=True)
class Described:
    """A shape with words on what it is for, from ``Annotated[T, "words"]``."""

    shape: Shape
    text: str

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        return {**self.shape.schema(within), "description": self.text}

    def load(self, value: Any) -> Any:
        return self.shape.load(value)


@dataclasses.dataclass(frozen=True)
class Field:
    """One named member of an object: a parameter, or a field of a class.

    An optional one without a default to show has ``NO_DEFAULT``.
    """

    shape: Shape
    description: str = ""
    required: bool = True
    default: Any = NO_DEFAULT

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        schema = self.shape.schema(within)
        if self.description and "description" not in schema:
            schema["description"] = self.description
        if self.default is not NO_DEFAULT:
            with contextlib.suppress(ResultError):  # JSON can't tell every default
                schema["default"] = to_json(self.default)
        return schema


@dataclasses.dataclass(frozen=True)
class Record:
    """A class with named fields: a dataclass, or a ``TypedDict``, which stays a dict.

    ``fields`` is asked late, because the fields of a class may lead back to it.
    """

    kind: type
    fields: Callable[[type], Mapping[str, Field]]

    def schema(self, within: tuple[type, ...] = ()) -> Schema:
        if self.kind in within:
            return {"type": "object"}
        fields = self.fields(self.kind)
        return object_schema(fields, (*within, self.kind), closed=self._builds)

    def load(self, value: Any) -> Any:
        fields = self.fields(self.kind)
        loaded = load_fields(fields, expect(dict, value))
        if not self._builds:
            return {**value, **loaded}
        unknown = [name for name in value if name not in fields]
        if unknown:
            raise ValueError(f"{self.kind.__name__} has no field {unknown[0]}")
        return self.kind(**loaded)

    @property
    def _builds(self) -> bool:
        return dataclasses.is_dataclass(self.kind)


def object_schema(fields: Mapping[str, Field], within: tuple[type, ...], closed: bool) -> Schema:
    """The schema of an object with these members, ``closed`` against any other."""
    schema: Schema = {"type": "object"}
    if fields:
        schema["properties"] = {name: field.schema(within) for name, field in fields.items()}
    required = [name for name, field in fields.items() if field.required]
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def load_fields(fields: Mapping[str, Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """The members of ``fields`` that ``values`` holds, each as its hinted type.

    Raises:
        ValueError: One is missing or does not fit; the text begins with its name.
    """
    missing = [name for name, field in fields.items() if field.required and name not in values]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    return {
        name: _at(name, field.shape.load, values[name])
        for name, field in fields.items()
        if name in values
    }


def accepts_none(shape: Shape) -> bool:
    """Whether None (JSON's null) is among the values of ``shape``."""
    try:
        return shape.load(None) is None
    except ValueError:
        return False


def json_type(value: Any) -> str:
    kinds = {bool: "boolean", str: "string", int: "integer", float: "number"}
    return kinds.get(type(value), "null" if value is None else type(value).__name__)


def expect(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        names = {str: "text", list: "a list", dict: "an object", bool: "true or false"}
        raise ValueError(f"{value!r:.100} is not {names.get(kind, 'a number')}")
    return value


def _at(name: str, load: Callable[[Any], Any], value: Any) -> Any:
    try:
        return load(value)
    except ValueError as fault:
        raise ValueError(f"{name}: {fault}") from fault
