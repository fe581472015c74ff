"""When a request to an endpoint that failed is worth another try.

Only what fails at once is: a refused or dropped connection, too much to do, a failing server. An
endpoint that says nothing has already been waited for.
"""

import random
from collections.abc import Mapping
from time import monotonic

import openai

TRIES = 3
FIRST_DELAY = 0.5  # seconds; each further one is twice as long
PATIENCE = 10.0  # seconds from the first try within which the last one starts


class Retries:
    """The tries of one request."""

    def __init__(self) -> None:
        self._failed = 0
        self._end = monotonic() + PATIENCE

    def delay(self, error: openai.APIError) -> float | None:
        """Seconds to wait after this failure; None: it is not worth another try, or too late."""
        self._failed += 1
        if self._failed == TRIES or not _may_pass(error):
            return None
        delay = FIRST_DELAY * 2 ** (self._failed - 1) * random.uniform(0.75, 1.25)  # noqa: S311
        delay = max(delay, asked_delay(error))
        return delay if monotonic() + delay < self._end else None


def asked_delay(error: openai.APIError) -> float:
    """The seconds that an endpoint asks to be left alone; 0 if it says nothing usable."""
    headers = _headers(error)
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "")
        if text.isascii() and text.isdecimal():
            return float(text) * unit
    return 0.0


def _may_pass(error: openai.APIError) -> bool:
    if isinstance(error, openai.APITimeoutError):
        return False
    if not isinstance(error, openai.APIStatusError):
        return isinstance(error, openai.APIConnectionError)
    wish = _headers(error).get("x-should-retry")
    if wish in ("true", "false"):
        return wish == "true"
    out_of_quota = error.code == "insufficient_quota"
    return error.status_code >= 500 or (error.status_code == 429 and not out_of_quota)


def _headers(error: openai.APIError) -> Mapping[str, str]:
    return error.response.headers if isinstance(error, openai.APIStatusError) else {}
