"""That log lines keep secrets to themselves."""

import logging

import pytest

from gateway.logs import DiscreetFormatter


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer CANARY",
        "Sec-WebSocket-Protocol: remotes.v1, bearer.CANARY",
        "Cookie: remotes_session=CANARY; csrftoken=CANARY",
        'made {"token": "CANARY", "name": "laptop"}',
        "ran remotes.pyz serve laptop.py --token CANARY",
        "POST /v1/chat?api_key=CANARY",
        "OPENAI_API_KEY=CANARY",
        "GET /remotes.pyz/rmt_CANARY",
    ],
)
def test_a_secret_is_blotted_out_and_the_rest_stays(line: str) -> None:
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, line, None, None)
    written = DiscreetFormatter().format(record)
    assert "CANARY" not in written
    assert "[hidden]" in written
    assert written.startswith(line.split("CANARY")[0].removesuffix("rmt_"))


def test_a_trace_is_blotted_out_too() -> None:
    try:
        raise ValueError("refused: Bearer CANARY")
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed", None, info)
    written = DiscreetFormatter().format(record)
    assert "refused: Bearer [hidden]" in written
