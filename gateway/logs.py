"""How log lines are written: without the secrets that a message or a trace may hold."""

import logging
import re

_SECRETS = re.compile(
    r"""(?ix)
    (   \bbearer[ .]+                           # the header, and the subprotocol
    |   (?:token|api[_-]?key|password|secret)["']?\s*[=:]\s*["']?
    |   --token\s+
    |   \b(?:remotes_session|sessionid|csrftoken)=
    )
    [^\s"',;&]+
    |   \brmt_[\w-]+                               # a token of ours, wherever it stands
    """
)


class DiscreetFormatter(logging.Formatter):
    """Formats a record, trace included, with tokens, keys and cookies blotted out."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's line or lines."""
        return _SECRETS.sub(_hide, super().format(record))


def _hide(found: re.Match[str]) -> str:
    return f"{found[1] or ''}[hidden]"
