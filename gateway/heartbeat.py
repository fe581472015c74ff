"""Signs of life: finds an owner that has gone silent though its connection stands."""

import asyncio
from time import monotonic

from gateway.actions import Empty, Reply, inline_action
from gateway.limits import limits
from gateway.sessions import Session

SILENT = 4408
"""Close code of an owner that has been silent for too long."""


@inline_action("ping", Empty, exempt=lambda session, payload: True)
def ping(session: Session, payload: Empty) -> Reply:
    """Answer a client's own ping."""
    return {}


@inline_action("pong", Empty, exempt=lambda session, payload: session.pinged)
def pong(session: Session, payload: Empty) -> Reply:
    """Take a sign of life."""
    session.pinged = False
    return None


async def watch(session: Session) -> None:
    """Ask ``session`` for a sign of life whenever it is silent, and close it when none comes."""
    asked = 0.0
    while True:
        silence = monotonic() - session.heard
        if silence >= limits.heartbeat_timeout:
            session.close(SILENT)
            return
        if silence >= limits.heartbeat_interval:
            if asked < session.heard:  # whatever came since it was last asked was a sign
                asked = monotonic()
                session.pinged = True
                session.post("ping", {})
            await asyncio.sleep(limits.heartbeat_timeout - silence)
        else:
            session.pinged = False
            await asyncio.sleep(limits.heartbeat_interval - silence)
