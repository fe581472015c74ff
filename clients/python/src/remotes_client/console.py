"""What the client says in the terminal: plain sentences that can't disturb it."""

import re
import sys
import traceback
from types import FrameType
from typing import TextIO

# Names and messages come from other programs; a control character in one could steer the terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def say(text: str) -> None:
    """Print one sentence on standard output, at once."""
    _write(text, sys.stdout)


def complain(text: str) -> None:
    """Print one sentence on standard error, at once."""
    _write(text, sys.stderr)


def show_failure(title: str, error: BaseException) -> None:
    """Print ``title`` and the trace of ``error`` from the user's own code on."""
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame) and trace.tb_next is not None:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    complain(f"{title}\n{''.join(lines).rstrip()}")


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("remotes_client.")


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:  # a Windows program without a console has no streams
        return
    clean = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    encoding = stream.encoding or "utf-8"
    print(clean.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)
