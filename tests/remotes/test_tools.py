"""What a model is offered of a function: its name, its description."""

import re
import unicodedata
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.limits import limits
from remotes import tools
from remotes.functions import RemoteFunction
from remotes.tools import RemoteToolSpec, tool_name

NAME = st.text(alphabet="ab_-. é2(7", min_size=1, max_size=70) | st.text(min_size=1, max_size=128)
PAIR = st.tuples(NAME, NAME)


@given(PAIR)
def test_a_name_fits_and_depends_on_the_two_names_alone(pair: tuple[str, str]) -> None:
    name = tool_name(*pair)
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", name)
    assert tool_name(*pair) == name


@given(PAIR, PAIR)
@example(("a", "b__c"), ("a__b", "c"))
@example(("a_", "b"), ("a", "_b"))
@example(("a", "b c"), ("a", "b_c"))
@example(("a", "b.c"), ("a", "b c"))
@example(("x" * 60, "y"), ("x" * 60, "z"))
def test_two_functions_never_have_one_name(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (tool_name(*one) == tool_name(*other)) == (one == other)


@given(PAIR)
def test_a_name_that_looks_like_a_changed_one_is_changed(pair: tuple[str, str]) -> None:
    changed = tool_name(*pair)
    remotename, _, function = changed.partition("__")
    if function and pair != (remotename, function):
        assert tool_name(remotename, function) != changed


@pytest.mark.parametrize(
    ("remotename", "function", "beginning"),
    [
        ("laptop", "disk_free", "laptop__disk_free"),
        ("Home Lab (2nd)", "turn-on", "Home_Lab_2nd___turn-on_"),
        ("lab", "calendar.respondToEvent", "lab__calendar_respondToEvent_"),
        ("lab", "files/read all", "lab__files_read_all_"),
        ("lab", "9lives", "lab__9lives"),
        ("lab", "x" * 90, "lab__xxxxx"),
    ],
)
def test_a_name_can_be_recognised(remotename: str, function: str, beginning: str) -> None:
    assert tool_name(remotename, function).startswith(beginning)


@pytest.fixture
def described() -> "Described":
    """Descriptions of functions."""
    return Described()


@dataclass(frozen=True)
class Described:
    """Makes a function and returns what a model reads of it."""

    remotename: str = "lab"

    def __call__(self, description: str, name: str = "f") -> str:
        spec = RemoteToolSpec(1, self.remotename, RemoteFunction(name, description))
        read = spec.to_openai_dict()["function"]["description"]
        assert isinstance(read, str)
        assert len(read) <= limits.description
        return read


def test_a_description_shows_the_real_names(described: Described) -> None:
    assert described("Find it.", "søk/all") == "Find it. (søk/all on lab)"
    assert described("") == "(f on lab)"


@pytest.mark.parametrize(
    "character", ["e\u0301\u0302", "👩‍👩‍👧‍👦", "👍🏽", "🇳🇴", "क्षि", "x\u200d\u0301"]
)
@pytest.mark.parametrize("shift", range(8))
def test_a_long_description_is_cut_between_characters(
    described: Described, character: str, shift: int
) -> None:
    words = "." * shift + character * 4000
    kept = described(words).removesuffix(" (f on lab)").lstrip(".")
    assert kept
    if character == "क्षि":
        assert not unicodedata.category(words[shift + len(kept)]).startswith("M")
    else:
        assert kept.replace(character, "") == ""


def test_how_much_of_a_description_is_shown_is_a_limit(
    described: Described, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = replace_limit(description=100)
    monkeypatch.setattr(tools, "limits", shorter)
    assert len(described("x" * 4000)) == 100
    wide = Described("r" * 128)("x" * 400, "f" * 128)
    assert len(wide) == 100


def replace_limit(**changed: int) -> object:
    """The limits with some of them changed."""
    return type(limits)(**{name: changed.get(name, getattr(limits, name)) for name in FIELDS})


FIELDS = type(limits).__struct_fields__
