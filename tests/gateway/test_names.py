"""Names: which are taken, in which form, and how a refusal speaks."""

import pytest

from gateway.exceptions import InvalidPayloadError
from gateway.names import checked_name


@pytest.mark.parametrize(
    "name", ["laptop", "a", "x" * 128, "Küche", "two words", "../bench", "日本", "👩‍🔧", "a\u200db"]
)
def test_a_name_that_can_be_read_is_taken_as_it_is(name: str) -> None:
    assert checked_name(name, "remotename") == name


def test_a_composed_and_a_decomposed_spelling_are_one_name() -> None:
    assert checked_name("Ku\u0308che", "remotename") == checked_name("K\u00fcche", "remotename")


def test_the_length_counts_after_composition() -> None:
    assert len(checked_name("u\u0308" * 128, "remotename")) == 128


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 129,
        " a",
        "a ",
        "\u00a0a",
        "a\u3000",
        "a\nb",
        "a\x00b",
        "a\x7fb",
        "a\x85b",
        "a\ud800b",
        "a\u2028b",
        "a\u2029b",
        "a\u202eb",
        "a\u200fb",
        "a\u061cb",
        "a\u2066b",
        "\ufeffa",
        "a\ufeffb",
    ],
)
def test_a_name_that_misleads_the_eye_is_refused(name: str) -> None:
    with pytest.raises(InvalidPayloadError) as refusal:
        checked_name(name, "functions.0.name")
    assert [detail["path"] for detail in refusal.value.details] == ["functions.0.name"]
    assert refusal.value.message.startswith("functions.0.name: A name ")
