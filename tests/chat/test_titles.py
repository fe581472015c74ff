"""Titles that threads get from their first message."""

import pytest

from chat.titles import title_of


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("How much space is left?", "How much space is left?"),
        ("  two\n\nlines ", "two lines"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 58 + " …"),
        ("word " * 20, "word " * 10 + "word …"),
        ("a\x00b", "a\ufffdb"),
    ],
)
def test_a_title_is_the_first_words_on_one_line(content: str, title: str) -> None:
    assert title_of(content) == title
