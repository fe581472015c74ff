"""How long an event loop is held up by what runs in it."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

TICK = 0.001  # seconds between two looks


class Stalls:
    """What a bystander in the loop has seen.

    Attributes:
        longest: Seconds that the loop's thread worked between two turns of the bystander. That is
            time on the processor, so that other programs of the machine do not count.
    """

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        """Stand by, until cancelled."""
        while True:
            before = time.thread_time()
            await asyncio.sleep(TICK)
            self.longest = max(self.longest, time.thread_time() - before)


@asynccontextmanager
async def bystander() -> AsyncIterator[Stalls]:
    """Watch the loop while the block runs; what it has seen is complete afterwards."""
    stalls = Stalls()
    gc.collect()
    gc.freeze()  # the garbage collector's look at what the tests hold is no part of it
    watching = asyncio.create_task(stalls.watch())
    await asyncio.sleep(TICK)
    try:
        yield stalls
        await asyncio.sleep(2 * TICK)
    finally:
        watching.cancel()
        gc.unfreeze()
