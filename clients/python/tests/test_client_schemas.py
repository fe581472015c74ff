"""What the agent is told of a function: the schema and words read from hints and docstring."""

import dataclasses
import enum
import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, TypeVar, Union
from uuid import UUID

import pytest

from remotes_client import Remote

UserId = NewType("UserId", int)
T = TypeVar("T")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Shape(enum.Enum):
    ROUND = object()
    FLAT = object()


class Filter(TypedDict):
    """What to keep.

    Attributes:
        since: The first day.
    """

    since: date


class Page(Filter, total=False):
    limit: int


@dataclasses.dataclass
class Node:
    name: str
    children: "list[Node]" = dataclasses.field(default_factory=list)
    weight: float = 1.0


def definition(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    remote = Remote("bench")
    remote.function(**options)(function)
    (served,) = remote.functions.values()
    return served.definition()


def schema_of(hint: Any) -> dict[str, Any]:
    def function(x):
        return x

    function.__annotations__["x"] = hint
    return definition(function)["parameters"]["properties"]["x"]


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Any, {}),
        (object, {}),
        (T, {}),
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (UserId, {"type": "integer"}),
        (Path, {"type": "string"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (time, {"type": "string", "format": "time"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (timedelta, {"type": "number"}),
        (list, {"type": "array", "items": {}}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[float, float],
            {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        ),
        (
            tuple[str, int],
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (dict, {"type": "object"}),
        (dict[str, Any], {"type": "object"}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Shape, {"type": "string", "enum": ["ROUND", "FLAT"]}),
        (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
        (
            Page,
            {
                "type": "object",
                "properties": {
                    "since": {"type": "string", "format": "date"},
                    "limit": {"type": "integer"},
                },
                "required": ["since"],
            },
        ),
        (
            Filter,
            {
                "type": "object",
                "properties": {
                    "since": {"type": "string", "format": "date", "description": "The first day."}
                },
                "required": ["since"],
            },
        ),
        (
            Node,
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"type": "object"}},
                    "weight": {"type": "number", "default": 1.0},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_hint_becomes_a_schema(hint, schema):
    assert schema_of(hint) == schema


@pytest.mark.parametrize("hint", [bytes, complex, Callable[[], None], Literal[b"x"], list[range]])
def test_a_hint_without_a_json_form_is_refused_by_name(hint):
    with pytest.raises(TypeError, match=r"parameter x: .* has no JSON form"):
        schema_of(hint)


def test_a_hint_that_names_nothing_is_refused():
    with pytest.raises(TypeError, match="name 'Missing' is not defined"):
        schema_of("Missing")


def test_defaults_make_parameters_optional():
    def function(a: int, b: int = 2, c: str = None, d: Level = Level.HIGH, e: Any = print):  # noqa: RUF013
        return a, b, c, d, e

    assert definition(function)["parameters"] == {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "integer", "default": 2},
            "c": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "d": {"type": "integer", "enum": [1, 2], "default": 2},
            "e": {},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


def test_keywords_open_the_schema():
    def anything(**options):
        return options

    def numbers(**options: int):
        return options

    assert definition(anything)["parameters"] == {"type": "object"}
    assert definition(numbers)["parameters"] == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
    }


def google(path: str, depth: int = 1, **options: str) -> str:
    """Walk through a folder.

    It takes a while.

    Args:
        path (str): Where to start,
            on this computer.
        depth: How deep: 1 is the folder itself.
        **options: More of them.

    Returns:
        What was found.
    """


def numpy(path: str, depth: int = 1) -> str:
    """Walk through a folder.

    It takes a while.

    Parameters
    ----------
    path : str
        Where to start,
        on this computer.
    depth : int, optional
        How deep: 1 is the folder itself.

    Returns
    -------
    str
        What was found.
    """


def rest(path: str, depth: int = 1) -> str:
    """Walk through a folder.

    It takes a while.

    :param path: Where to start,
        on this computer.
    :type path: str
    :param int depth: How deep: 1 is the folder itself.
    :returns: What was found.
    """


@pytest.mark.parametrize("function", [google, numpy, rest])
def test_a_docstring_describes_the_function_and_its_parameters(function):
    described = definition(function)
    properties = described["parameters"]["properties"]
    assert properties["path"]["description"] == "Where to start, on this computer."
    assert properties["depth"]["description"] == "How deep: 1 is the folder itself."
    assert described["description"].startswith("Walk through a folder.\n\nIt takes a while.\n\n")
    assert described["description"].endswith("What was found.")
    assert "Where to start" not in described["description"]


def test_words_in_annotated_win_over_the_docstring():
    def function(path: Annotated[str, "From the hint."]):
        """Do it.

        Args:
            path: From the docstring.
        """

    described = definition(function)
    assert described["parameters"]["properties"]["path"]["description"] == "From the hint."
    assert described["description"] == "Do it."


def test_options_win_over_what_the_function_says():
    def function():
        """Its own words."""

    described = definition(function, name="other", description="Other words.", timeout=0.5)
    assert described == {
        "name": "other",
        "description": "Other words.",
        "parameters": {"type": "object", "additionalProperties": False},
        "timeout": 0.5,
    }


@pytest.mark.parametrize("timeout", [0, -1, 601])
def test_a_timeout_out_of_range_is_refused(timeout):
    with pytest.raises(ValueError, match="at most 600 seconds"):
        definition(google, timeout=timeout)


def test_two_functions_of_one_name_are_refused():
    remote = Remote("bench")
    remote.function(google)
    with pytest.raises(ValueError, match="bench has a function google already"):
        remote.function(google)


def test_methods_and_wrapped_functions_are_described_like_plain_ones():
    class Lamp:
        def dim(self, level: int) -> int:
            """Dim it."""
            return level

    @functools.wraps(google)
    def wrapped(*args, **keywords):
        return google(*args, **keywords)

    dim = definition(Lamp().dim)
    assert dim["parameters"]["properties"] == {"level": {"type": "integer"}}
    assert dim["description"] == "Dim it."
    assert definition(wrapped) == definition(google)
