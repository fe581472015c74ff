"""Text that every database and every client can hold."""

import json

import pytest

from gateway.texts import beginning, encoded_size, storable, storable_json


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain", "plain"),
        ("a\x00b", "a\ufffdb"),
        ("ü\x00", "ü\ufffd"),
        ("half \ud83d", "half \ufffd"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("whole \U0001f527", "whole \U0001f527"),
    ],
)
def test_what_no_database_takes_becomes_a_replacement_character(text: str, stored: str) -> None:
    assert storable(text) == stored


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (r'"a\u0000b"', '"a\ufffdb"'),
        (r'"\\u0000"', r'"\\u0000"'),
        (r'"\\\u0000"', '"\\\\\ufffd"'),
        (r'{"\u0000": 1.10}', '{"\ufffd": 1.10}'),
    ],
)
def test_an_escaped_nul_in_json_is_replaced_and_nothing_else(text: str, stored: str) -> None:
    assert storable_json(text) == stored
    json.loads(stored)


@pytest.mark.parametrize("sign", ["a", "ü", "\U0001f527", '"', "\x01"])
def test_a_beginning_keeps_to_its_size_on_the_wire_and_is_as_long_as_can_be(sign: str) -> None:
    start = beginning(sign * 1000, 100)
    assert (sign * 1000).startswith(start)
    assert 100 - encoded_size(sign) < encoded_size(start) <= 100


def test_a_text_that_fits_is_its_own_beginning() -> None:
    assert beginning("ü" * 50, 100) == "ü" * 50
