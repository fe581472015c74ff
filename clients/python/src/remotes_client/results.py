"""Turns what a function returned into JSON, or says where that is impossible."""

import dataclasses
import enum
import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from uuid import UUID

MAX_DEPTH = 128
_SURROGATE = re.compile("[\ud800-\udfff]")
_AS_TEXT: dict[type, Callable[[Any], str]] = {
    datetime: datetime.isoformat,
    date: date.isoformat,
    time: time.isoformat,
    PurePath: str,
    UUID: str,
    Decimal: str,
}


class ResultError(ValueError):
    """A value has no JSON form; the text says where in it and why."""


def encode(value: Any) -> str:
    """The JSON text of a JSON value.

    Raises:
        ResultError: A number in it is not finite or has too many digits.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise ResultError(f"{error}.") from error
    # File names can hold lone surrogates, which no UTF-8 frame can carry.
    return _SURROGATE.sub("\ufffd", text)


def result_text(value: Any, room: int) -> str:
    """The JSON text for what a function returned; see :func:`to_json`."""
    return encode(to_json(value, room))


def to_json(value: Any, room: int = MAX_DEPTH) -> Any:
    """The JSON value for what a function returned.

    Dataclasses and named tuples become objects; sets, tuples and other collections arrays; dates
    and times ISO 8601 text; paths, UUIDs and decimals text; a ``timedelta`` its seconds; an enum
    member its value.

    Args:
        value: What the function returned.
        room: How many arrays and objects may lie inside each other.

    Raises:
        ResultError: Something in it has no JSON form, or it refers to itself.
    """
    return _Encoder(room).encode(value, "The result", ())


class _Encoder:
    def __init__(self, room: int) -> None:
        self._room = room

    def encode(self, value: Any, place: str, around: tuple[int, ...]) -> Any:
        if value is None or isinstance(value, bool | str | int | float):
            return _scalar(value, place)
        if isinstance(value, enum.Enum):
            return self.encode(value.value, place, around)
        if isinstance(value, timedelta):
            return value.total_seconds()
        for kind, as_text in _AS_TEXT.items():
            if isinstance(value, kind):
                return as_text(value)
        return self._container(value, place, around)

    def _container(self, value: Any, place: str, around: tuple[int, ...]) -> Any:
        if id(value) in around:
            raise ResultError(f"{place} contains itself.")
        if len(around) >= self._room:
            raise ResultError(f"{place} lies deeper than {self._room} levels.")
        around = (*around, id(value))
        members = _members(value)
        if members is not None:
            return self._object(members, place, around)
        if isinstance(value, Collection) and not isinstance(value, bytes | bytearray | memoryview):
            items = _ordered(value) if isinstance(value, set | frozenset) else value
            return [self.encode(item, f"{place}[{i}]", around) for i, item in enumerate(items)]
        raise ResultError(f"{place} is {_kind(value)}, which has no JSON form.{_advice(value)}")

    def _object(self, members: Mapping[Any, Any], place: str, around: tuple[int, ...]) -> Any:
        encoded: dict[str, Any] = {}
        for key, value in members.items():
            name = self._key(key, place)
            if name in encoded:
                raise ResultError(f"{place} has two keys that JSON writes as {name!r}.")
            encoded[name] = self.encode(value, f"{place}.{name}", around)
        return encoded

    def _key(self, key: Any, place: str) -> str:
        plain = self.encode(key, f"A key of {place}", ())
        if isinstance(plain, list | dict):
            raise ResultError(f"{place} has a key that is {_kind(key)}; JSON's keys are text.")
        return plain if isinstance(plain, str) else json.dumps(plain)


def _scalar(value: Any, place: str) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        raise ResultError(f"{place} is {value}, which JSON does not know.")
    return value


def _members(value: Any) -> Mapping[Any, Any] | None:
    """The named members of what JSON writes as an object, else None."""
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    return None


def _ordered(items: Collection[Any]) -> Collection[Any]:
    """A set's items in their order where they have one, so that equal sets read alike."""
    try:
        return sorted(items)
    except TypeError:
        return items


def _kind(value: Any) -> str:
    return f"of type {type(value).__qualname__}"


def _advice(value: Any) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return " Return text instead: decode it, or encode it with base64."
    return ""
