"""What counts as a frame, and what an error about one repeats."""

import json

import msgspec
import pytest

from gateway import frames
from gateway.exceptions import InvalidPayloadError
from gateway.limits import limits


def code_of(data: str | bytes) -> str:
    with pytest.raises(frames.FrameError) as caught:
        frames.decode(data)
    return caught.value.error.code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "hello",
        '{"action": "remote-list"',
        "{'action': 'remote-list'}",
        '{"action":"a"}}',
        '{"action":"a","payload":{"x":NaN}}',
        '{"action":"a","payload":{"x":-Infinity}}',
        '{"action":"a","payload":{"x":1e400}}',
        '{"action":"a","payload":{"x":1e999999999}}',
        '{"action":"a","payload":{"x":' + "9" * 4301 + "}}",
        '{"action":"a","action":"b"}',
        '{"action":"a","payload":{"deep":[{"k":1,"k":2}]}}',
        '{"action":"a","payload":{"x":' + "[" * 127 + "]" * 127 + "}}",
        "[" * 200_000,
        '{"a":' * 100_000,
        '\ufeff{"action":"a"}',
        '{"action":"a\x00"}',
        '{"action":"\\x"}',
    ],
)
def test_what_is_not_strict_json_is_refused(text: str) -> None:
    assert code_of(text) == "invalid-json"


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    assert code_of(b'{"action":"\xff"}') == "invalid-json"


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "[]",
        "42",
        '"remote-list"',
        "{}",
        '{"action":null}',
        '{"action":7}',
        '{"action":{"a":1}}',
        '{"action":["remote-list"]}',
        '{"action":"a","id":5}',
        '{"action":"a","id":"' + "i" * 129 + '"}',
    ],
)
def test_what_is_no_envelope_is_refused(text: str) -> None:
    assert code_of(text) == "invalid-frame"


@pytest.mark.parametrize("encode", [str, str.encode])
def test_one_byte_more_than_the_limit_is_too_large(encode: type) -> None:
    head = '{"action":"a","payload":{"x":"'
    fitting = head + "é" * ((limits.frame - len(head) - 3) // 2) + '"}}'
    assert len(fitting.encode()) <= limits.frame
    assert frames.decode(encode(fitting)).action == "a"
    assert (
        code_of(encode(fitting + " " * (limits.frame + 1 - len(fitting.encode())))) == "too-large"
    )


def test_the_deepest_allowed_nesting_is_taken() -> None:
    inside = "[" * 126 + "]" * 126
    assert frames.decode('{"action":"a","payload":{"x":' + inside + "}}").action == "a"


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert frames.decode('{"action":"a","payload":{"x":[' + "[]," * 999 + "[]]}}").action == "a"


def test_numbers_pass_digit_for_digit() -> None:
    text = '{"a": 1.10, "b": 123456789012345678901234567890, "c": 1E2, "d": -0.0}'
    payload = frames.decode('{"action":"x","payload":' + text + "}").payload
    assert bytes(payload).decode() == text


def test_lone_surrogates_become_the_replacement_character() -> None:
    frame = frames.decode(r'{"action":"x","payload":{"v":"\ud800 \ud83d\ude00 \\ud800 \udc00"}}')
    assert json.loads(bytes(frame.payload)) == {"v": "\ufffd \U0001f600 \\ud800 \ufffd"}


@pytest.mark.parametrize("text", ['{"action":"x"}', '{"action":"x","payload":null,"id":null}'])
def test_an_empty_payload_and_id_may_be_left_out_or_null(text: str) -> None:
    frame = frames.decode(text)
    assert bytes(frame.payload) == b"{}"
    assert frame.id is None


def test_an_error_says_where_in_the_payload_it_is() -> None:
    class Payload(msgspec.Struct):
        names: list[str]

    frame = frames.decode('{"action":"x","payload":{"names":["a",5]}}')
    with pytest.raises(InvalidPayloadError) as caught:
        frames.payload_of(frame, Payload)
    assert caught.value.details == [{"path": "names.1", "message": "Expected `str`, got `int`"}]
    assert "names.1" in caught.value.message
