"""Terminals in which tests run lines as people paste them."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.commands import interruptible


class Terminal:
    """A shell that runs a block and whose output can be waited for."""

    def __init__(self, block: str, folder: Path, env: Mapping[str, str]) -> None:
        self.log = folder / f"terminal-{time.monotonic_ns()}.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                interruptible("bash", "-c", block),
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def wait_for(self, pattern: str, seconds: float = 60.0) -> re.Match[str]:
        """The first match in what it has printed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := re.search(pattern, self.log.read_text(errors="replace")):
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"{pattern!r} did not appear in:\n{self.log.read_text()}")

    def interrupt(self) -> None:
        """Press Ctrl+C and wait for the end."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise


@contextmanager
def terminal(block: str, folder: Path, env: Mapping[str, str]) -> Iterator[Terminal]:
    """A terminal that runs ``block`` until it is interrupted."""
    opened = Terminal(block, folder, env)
    try:
        yield opened
    finally:
        opened.interrupt()
