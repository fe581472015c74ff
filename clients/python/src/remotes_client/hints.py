"""Finds the JSON form of a type hint."""

import collections.abc
import dataclasses
import enum
import functools
import inspect
import types
import typing
from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated, Any, Literal, TypeVar, Union

from remotes_client.docstrings import read_docstring
from remotes_client.scalars import SCALARS
from remotes_client.shapes import (
    NO_DEFAULT,
    Anything,
    Array,
    Choice,
    Described,
    Either,
    Field,
    Record,
    Row,
    Scalar,
    Shape,
    Table,
    expect,
)

_LISTS = {
    list,
    collections.abc.Collection,
    collections.abc.Iterable,
    collections.abc.MutableSequence,
    collections.abc.Sequence,
}
_SETS: dict[Any, type] = {
    set: set,
    frozenset: frozenset,
    collections.abc.MutableSet: set,
    collections.abc.Set: set,
}
_OBJECTS = {dict, collections.abc.Mapping, collections.abc.MutableMapping}


class HintError(TypeError):
    """A type hint has no JSON form; the text names it."""


def hints_of(owner: Any) -> dict[str, Any]:
    """The type hints of a function or class, with names in them resolved.

    Raises:
        HintError: A hint names something that is not defined where it stands.
    """
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except (NameError, AttributeError) as error:
        raise HintError(f"a type hint can't be resolved ({error})") from error


def shape_of(hint: Any) -> Shape:
    """The JSON form of a type hint.

    Raises:
        HintError: It has none.
    """
    if hint is Any or hint is object or hint is inspect.Parameter.empty:
        return Anything()
    if hint is None:
        return SCALARS[types.NoneType]
    if isinstance(hint, TypeVar):
        return shape_of(hint.__bound__ or Any)
    origin = typing.get_origin(hint)
    if origin is not None:
        return _shape_of_form(hint, origin, typing.get_args(hint))
    for beneath in ("__supertype__", "__value__"):  # of NewType, and of the statement ``type``
        if hasattr(hint, beneath):
            return shape_of(getattr(hint, beneath))
    return _shape_of_class(hint)


def _shape_of_class(hint: Any) -> Shape:
    if hint in _LISTS or hint in _SETS:
        return Array(Anything(), _SETS.get(hint, list))
    if hint is tuple:
        return Array(Anything(), tuple)
    if hint in _OBJECTS:
        return Table(Anything(), Anything())
    if hint in SCALARS:
        return SCALARS[hint]
    if hasattr(hint, "__required_keys__"):
        return Record(hint, _typed_dict_fields)
    if not isinstance(hint, type):
        raise _no_form(hint)
    return _shape_of_family(hint)


def _shape_of_family(hint: type) -> Shape:
    """The form of a class that belongs to a known kind of classes."""
    if issubclass(hint, enum.Enum):
        return Choice(tuple((_option(member), member) for member in hint))
    if dataclasses.is_dataclass(hint):
        return Record(hint, _dataclass_fields)
    if issubclass(hint, PurePath):
        return Scalar({"type": "string"}, lambda value: hint(expect(str, value)))
    raise _no_form(hint)


def _shape_of_form(hint: Any, origin: Any, arguments: tuple[Any, ...]) -> Shape:
    """The form of a hint with parts, such as ``list[int]`` or ``int | None``."""
    if not arguments:
        return shape_of(origin)
    if origin is Annotated:
        texts = [text for text in hint.__metadata__ if isinstance(text, str)]
        shape = shape_of(arguments[0])
        return Described(shape, texts[0]) if texts else shape
    if origin is Literal:
        return Choice(tuple((_option(option), option) for option in arguments))
    if origin is Union or origin is types.UnionType:
        return Either(tuple(shape_of(option) for option in arguments))
    if origin is tuple and arguments[-1] is not ...:
        return Row(tuple(shape_of(place) for place in arguments))
    if origin is tuple or origin in _LISTS or origin in _SETS:
        build = tuple if origin is tuple else _SETS.get(origin, list)
        return Array(shape_of(arguments[0]), build)
    if origin in _OBJECTS:
        return Table(shape_of(arguments[0]), shape_of(arguments[1]))
    if str(origin).endswith(("Required", "ReadOnly")):
        return shape_of(arguments[0])
    raise _no_form(hint)


def _option(member: Any) -> Any:
    """What JSON writes for an option: of an enum member its name, where its value is not plain."""
    if isinstance(member, enum.Enum):
        plain = isinstance(member.value, str | int | float | bool)
        return member.value if plain else member.name
    if isinstance(member, bytes):
        raise _no_form(bytes)
    return member


@functools.cache
def _dataclass_fields(kind: Any) -> Mapping[str, Field]:
    hints = hints_of(kind)
    texts = read_docstring(kind.__doc__)[1]
    fields = {}
    for field in dataclasses.fields(kind):
        has_default = field.default is not dataclasses.MISSING
        required = not has_default and field.default_factory is dataclasses.MISSING
        default = field.default if has_default else NO_DEFAULT
        if field.init:
            shape, text = shape_of(hints[field.name]), texts.get(field.name, "")
            fields[field.name] = Field(shape, text, required, default)
    return fields


@functools.cache
def _typed_dict_fields(kind: Any) -> Mapping[str, Field]:
    texts = read_docstring(kind.__doc__)[1]
    return {
        name: Field(shape_of(hint), texts.get(name, ""), name in kind.__required_keys__)
        for name, hint in hints_of(kind).items()
    }


def _no_form(hint: Any) -> HintError:
    return HintError(f"{getattr(hint, '__qualname__', None) or hint} has no JSON form")
