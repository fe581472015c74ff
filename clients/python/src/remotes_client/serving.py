"""Keeps a remote served: connects, registers, answers, and comes back until something ends it."""

import asyncio
import platform
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from remotes_client import __version__
from remotes_client.calls import Calls
from remotes_client.connection import Connection, Frame, open_connection
from remotes_client.console import complain, say
from remotes_client.errors import CallError, NameLostError, ServerAwayError, ServerError
from remotes_client.functions import Function
from remotes_client.results import encode
from remotes_client.servers import Server

FIRST_DELAY = 1.0  # seconds; what is waited lies between half of it and all of it
LONGEST_DELAY = 30.0  # seconds
LONGEST_ASKED_DELAY = 600.0  # seconds
STEADY_AFTER = 10.0  # seconds of being connected, after which delays start small again
REGISTRATION = "register"  # the id of the one request that a session sends
PASSING_CODES = {"unavailable", "internal", "busy", "rate-limited"}


@dataclass(frozen=True)
class Offer:
    """What a program serves: functions by name, under the name of a remote."""

    name: str
    functions: Mapping[str, Function]
    about: Mapping[str, str] = field(default_factory=dict)  # its title and description, if any

    def registration(self) -> dict[str, Any]:
        """The payload of ``remote-connect``."""
        client = {"program": f"remotes-client {__version__}", "host": platform.node()[:200]}
        return {
            "remotename": self.name,
            "functions": [function.definition() for function in self.functions.values()],
            "client": client,
            "heartbeat": True,
            **self.about,
        }


class Service:
    """Serves one offer for as long as that can be."""

    def __init__(self, offer: Offer, server: Server) -> None:
        self._offer = offer
        self._server = server
        self._was_registered = False
        self._is_known_away = False
        self._registered_at: float | None = None  # the loop's time
        self._failures = 0  # connections in a row that failed or did not last

    async def run(self) -> NoReturn:
        """Serve, and connect again whenever the connection breaks.

        Raises:
            NameLostError: Another program or the user took the name.
            ServerError: The server can't serve this client, or refuses the functions.
            TokenError: The server does not accept the token, or no longer.
        """
        while True:
            try:
                await self._run_once()
            except ServerAwayError as away:
                self._tell_away(away)
                await asyncio.sleep(self._delay(away))

    async def _run_once(self) -> NoReturn:
        self._registered_at = None
        try:
            connection = await open_connection(self._server)
            await Session(self._offer, connection, self._registered).run()
        except ServerError as error:
            if self._was_registered:  # it worked before, so it may again
                raise ServerAwayError(str(error)) from error
            raise

    def _registered(self, reply: Mapping[str, Any]) -> None:
        name, address = self._offer.name, self._server.address
        names = ", ".join(reply["functions"]) or "no functions"
        if self._was_registered:
            say("Connected again.")
        else:
            say(f"Connected as {name} to {address}: {names}. Ctrl+C ends it.")
            if reply.get("replaced"):
                say(f"Another program served {name} until now; it has lost the name to this one.")
        for refused in reply.get("refused") or ():
            fault = f"{refused.get('path')}: {refused.get('message')}"
            complain(f"The server does not take {refused.get('name')} ({fault}).")
        self._was_registered, self._is_known_away = True, False
        self._registered_at = asyncio.get_running_loop().time()

    def _tell_away(self, away: ServerAwayError) -> None:
        if not self._is_known_away:
            complain(f"{away} Trying again until it answers; Ctrl+C ends it.")
        self._is_known_away = True

    def _delay(self, away: ServerAwayError) -> float:
        """Seconds until the next attempt: what the server asked for, else more each time."""
        now = asyncio.get_running_loop().time()
        if self._registered_at is not None and now - self._registered_at >= STEADY_AFTER:
            self._failures = 0
        longest = min(LONGEST_DELAY, FIRST_DELAY * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        if away.retry_after is not None:
            return min(max(away.retry_after, 0.0), LONGEST_ASKED_DELAY)
        return random.uniform(longest / 2, longest)  # noqa: S311 - spreads load, guards nothing


class Session:
    """One connection that serves one offer.

    Args:
        offer: What is served.
        connection: Open and greeted; the session closes it.
        registered: Called with the server's reply once the offer is registered.
    """

    def __init__(
        self,
        offer: Offer,
        connection: Connection,
        registered: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._offer = offer
        self._connection = connection
        self._registered = registered
        self._calls = Calls(offer.functions, connection.send, connection.limits)
        self._retry_after: float | None = None
        self._lost: NameLostError | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._handlers = {
            "ping": self._ping,
            "remote-connect": self._remote_connect,
            "remote-call": self._remote_call,
            "remote-call-cancel": self._remote_call_cancel,
            "remote-disconnected": self._remote_disconnected,
            "goodbye": self._goodbye,
            "error": self._error,
        }

    async def run(self) -> NoReturn:
        """Register and answer until the connection ends; raises the reason."""
        connection = self._connection
        try:
            await connection.request("remote-connect", self._offer.registration(), REGISTRATION)
            while True:
                frame = await connection.receive()
                handler = self._handlers.get(frame.action)
                if handler is not None:  # later versions may send other events
                    await handler(frame)
        except ServerAwayError as away:
            raise self._lost or ServerAwayError(str(away), self._retry_after) from away
        finally:
            self._calls.cancel_all()
            await connection.close()

    async def _ping(self, frame: Frame) -> None:
        await self._connection.send(encode({"action": "pong"}))

    async def _remote_connect(self, frame: Frame) -> None:
        self._registered(frame.payload)

    async def _remote_call(self, frame: Frame) -> None:
        self._calls.start(frame.payload)

    async def _remote_call_cancel(self, frame: Frame) -> None:
        self._calls.cancel(frame.payload["requestId"])

    async def _remote_disconnected(self, frame: Frame) -> None:
        name = self._offer.name
        if frame.payload.get("reason") != "replaced":
            raise NameLostError(f"{name} was disconnected on the server, so this program ends.")
        taker = _describe((frame.payload.get("by") or {}).get("client") or {})
        self._lost = NameLostError(f"{taker} took over the name {name}, so this program ends.")
        self._leaving = asyncio.create_task(self._leave())

    async def _leave(self) -> None:
        """Close once the calls that began here have ended: they may still be answered."""
        await self._calls.wait()
        await self._connection.close()

    async def _goodbye(self, frame: Frame) -> None:
        self._retry_after = float(frame.payload.get("retryAfter") or 0.0)

    async def _error(self, frame: Frame) -> None:
        payload = frame.payload
        code = str(payload.get("code"))
        error = CallError(code, str(payload.get("message")), payload.get("details") or ())
        if frame.id != REGISTRATION:
            complain(f"The server says: {error}")
        elif code in PASSING_CODES:
            raise ServerAwayError(f"The server can't take {self._offer.name} now: {error}")
        else:
            raise ServerError(f"The server does not take {self._offer.name}: {error}")


def _describe(client: Mapping[str, Any]) -> str:
    """The other program in words, such as ``remotes-client 0.1.0 on desk``."""
    program = client.get("title") or client.get("program") or "Another program"
    return f"{program} on {client['host']}" if client.get("host") else str(program)
