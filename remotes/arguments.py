"""Checking arguments against a function's schema without holding up the server.

What is surely done in a moment is checked at once. The rest is checked by a process of its own,
which is ended when it takes too long: ``python -m remotes.arguments`` reads schema and arguments
as a JSON list from its standard input and writes the faults as JSON.
"""

import asyncio
import os
import resource
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from gateway.exceptions import BusyError, Detail
from remotes import faults
from remotes.bounds import WORK, Bounds, backtracking, within
from remotes.schemas import FANCY, LINEAR, Schema, SchemaError, compiled

PROCESSOR = 2
"""Seconds of work that a process may do for a check."""
APART = 10.0
"""Seconds that it may take, however busy the machine is."""
PROCESSES = 2
"""Processes that check at the same time; more checks wait for their turn."""
WAITING = 8
"""Checks of one user that may need a process; one is made at a time."""

VALUES = 50_000
"""Values that are checked at once; counting that many takes about 5 ms."""
LOOKS = 500
"""Places that the server itself looks at to say why arguments do not fit, about 10 ms."""
LOOKS_APART = 50_000
"""Places that a process looks at for that."""

TOO_MUCH = "they hold too much to be checked against the schema; send less at once"

_CHECKOUT = Path(__file__).resolve().parents[1]
_processes = asyncio.Semaphore(PROCESSES)
_waiting: Counter[int] = Counter()
_turns: dict[int, asyncio.Lock] = {}
"""By user: how many of their checks need a process, and whose turn it is among these."""


class ArgumentCheck:
    """A compiled schema.

    Raises:
        SchemaError: It is no valid JSON Schema, refers outside itself, or would cost too much.
    """

    def __init__(self, schema: Schema) -> None:
        bounds = Bounds(schema)
        self._schema = schema
        self._references = bounds.references
        self._longest: int | None = None
        work = bounds.work
        try:
            self._validator = compiled(schema, LINEAR)
        except SchemaError:
            self._validator = compiled(schema, FANCY)
            more, self._longest = backtracking(schema)
            work += more
        self._values = min(WORK // work, VALUES)

    async def faults(self, args: dict[str, object], user_id: int = 0) -> list[Detail]:
        """What is wrong with ``args``; empty where they fit.

        Args:
            user_id: Whose turn it is where the check needs a process.

        Raises:
            BusyError: That user has as many checks waiting as allowed.
        """
        if within(args, self._values, self._longest):
            if self._validator.is_valid(args):
                return []
            found = faults.found(self._schema, self._references, args, LOOKS)
            if found is not None:
                return found
        async with _turn_of(user_id):
            return await _faults_apart(self._schema, args)

    def faults_now(self, args: dict[str, object]) -> list[Detail]:
        """The same, however long it takes."""
        if self._validator.is_valid(args):
            return []
        found = faults.found(self._schema, self._references, args, LOOKS_APART)
        return found or [{"path": "", "message": faults.UNCLEAR}]


@asynccontextmanager
async def _turn_of(user_id: int) -> AsyncIterator[None]:
    """Wait until none of the user's other checks needs a process: nobody takes them all."""
    if _waiting[user_id] == WAITING:
        raise BusyError("Too many large arguments are being checked; nothing was sent.")
    _waiting[user_id] += 1
    try:
        async with _turns.setdefault(user_id, asyncio.Lock()):
            yield
    finally:
        _waiting[user_id] -= 1
        if not _waiting[user_id]:
            del _waiting[user_id], _turns[user_id]


async def _faults_apart(schema: Schema, args: dict[str, object]) -> list[Detail]:
    """The faults as another process finds them, in limited time."""
    async with _processes:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "remotes.arguments"),
            cwd=_CHECKOUT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(APART):
                told, _ = await process.communicate(msgspec.json.encode([schema, args]))
            return msgspec.json.decode(told, type=list[Detail])
        except (TimeoutError, msgspec.DecodeError):
            return [{"path": "", "message": TOO_MUCH}]
        finally:
            await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


def main() -> None:
    """Make one check for the server, which comes first."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    schema: Any
    args: Any
    schema, args = msgspec.json.decode(sys.stdin.buffer.read())
    sys.stdout.buffer.write(msgspec.json.encode(ArgumentCheck(schema).faults_now(args)))


if __name__ == "__main__":
    main()
