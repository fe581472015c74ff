"""The real consumer with accounts in the database, its sockets joined without a network."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session as SessionRow

from gateway.actions import Scope
from gateway.consumers import Gateway
from gateway.database import in_database
from remotes import tokens
from tests.end_to_end.sockets import Client

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"
PATIENCE = 10.0  # seconds


class Wire:
    """What a server program does between a client and the application.

    Attributes:
        reading: Cleared while the client takes nothing of what it is sent.
        fault: Raised by the server program instead of sending a frame that contains ``refused``.
        subprotocol: The one that was selected.
        close_code: The application's; None while the socket is open.
        denied: Whether the handshake was turned down, so that it was no socket at all.
    """

    def __init__(self, headers: dict[str, str], subprotocols: Sequence[str], scheme: str) -> None:
        self.reading = asyncio.Event()
        self.reading.set()
        self.fault: Exception | None = None
        self.refused = ""
        self.subprotocol: str | None = None
        self.close_code: int | None = None
        self.denied = False
        self.accepted = asyncio.Event()
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._messages: asyncio.Queue[str | None] = asyncio.Queue()
        scope = {
            "type": "websocket",
            "path": "/ws/",
            "scheme": scheme,
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "subprotocols": list(subprotocols),
        }
        self._events.put_nowait({"type": "websocket.connect"})
        self._application = asyncio.create_task(
            Gateway.as_asgi()(scope, self._events.get, self._take)
        )
        self._application.add_done_callback(lambda task: self._messages.put_nowait(None))

    async def _take(self, event: dict[str, Any]) -> None:
        await self.reading.wait()
        if self.fault is not None and self.refused in event.get("text", ""):
            raise self.fault
        match event["type"]:
            case "websocket.accept":
                self.subprotocol = event["subprotocol"]
            case "websocket.close":
                self.denied = not self.accepted.is_set()
                self.close_code = event.get("code")
                self._hang_up()
            case _:
                self._messages.put_nowait(event["text"])
        self.accepted.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (text := await self._messages.get()) is not None:
            yield text

    async def send(self, message: str | bytes) -> None:
        """Hand a message of the client to the application."""
        kind = "text" if isinstance(message, str) else "bytes"
        self._events.put_nowait({"type": "websocket.receive", kind: message})

    async def close(self) -> None:
        """Have the client leave, and wait until the application has noticed."""
        self._hang_up()
        self.reading.set()
        await asyncio.wait_for(self._application, PATIENCE)

    def _hang_up(self) -> None:
        self._events.put_nowait({"type": "websocket.disconnect", "code": 1000})
        self._messages.put_nowait(None)


class Socket(Client):
    """One socket of a :class:`Site`."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(cast("ClientConnection", wire))
        self.wire = wire

    async def asked(self) -> Any:
        """The payload of the next request to run something."""
        return await self.event("remote-call")

    async def answer(self, **outcome: object) -> Any:
        """Answer the next request; returns the request."""
        request = await self.asked()
        await self.send("remote-call-result", {"requestId": request["requestId"], **outcome})
        return request

    async def barrier(self) -> None:
        """Return once everything sent so far has been looked at."""
        await self.ask("ping")


class Site:
    """Opens sockets of users that it makes as it needs them; they end with it."""

    def __init__(self) -> None:
        self._open = AsyncExitStack()

    async def user_id(self, name: str) -> int:
        """The id of the user ``name``."""
        return (await in_database(_user, name)).pk

    async def token(
        self, name: str, scopes: Sequence[Scope] = (), expires_at: datetime | None = None
    ) -> str:
        """A new token of the user ``name``."""

        def make() -> str:
            return tokens.make(_user(name), "test", scopes=scopes, expires_at=expires_at)

        return await in_database(make)

    async def session_key(self, name: str, lifetime: float = 3600) -> str:
        """The key of a new session of the user ``name``, which lasts for ``lifetime`` seconds."""
        return await in_database(_session_key, name, lifetime)

    async def connect(
        self,
        headers: dict[str, str],
        *,
        subprotocols: Sequence[str] = (),
        scheme: str = "ws",
        welcome: bool = True,
    ) -> Socket:
        """A socket with these headers; its ``welcome`` is taken unless told otherwise."""
        wire = Wire({"Host": HOST, **headers}, subprotocols, scheme)
        self._open.push_async_callback(wire.close)
        await asyncio.wait_for(wire.accepted.wait(), PATIENCE)
        socket = Socket(wire)
        if welcome:
            await socket.event("welcome")
        return socket

    async def program(self, name: str = "ana", scopes: Sequence[Scope] = ()) -> Socket:
        """A socket with a new token."""
        token = await self.token(name, scopes)
        return await self.connect({"Authorization": f"Bearer {token}"})

    async def page(self, name: str = "ana", **options: Any) -> Socket:
        """A socket with the cookie of a new session."""
        return await self.with_session(await self.session_key(name), **options)

    async def with_session(self, key: str, *, origin: str = ORIGIN, **options: Any) -> Socket:
        """A socket with the cookie of the session ``key``."""
        headers = {"Cookie": f"remotes_session={key}", "Origin": origin}
        headers |= options.pop("headers", {})
        return await self.connect(headers, **options)

    async def close(self) -> None:
        """End all sockets."""
        await self._open.aclose()


def frame(action: str, payload: object, **envelope: object) -> str:
    """The text of a frame."""
    return json.dumps({"action": action, "payload": payload, **envelope})


def _user(name: str) -> User:
    return User.objects.get_or_create(username=name, defaults={"password": "!"})[0]


def _session_key(name: str, lifetime: float) -> str:
    user = _user(name)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    key = str(session.session_key)
    until = datetime.now(UTC) + timedelta(seconds=lifetime)
    SessionRow.objects.filter(session_key=key).update(expire_date=until)
    return key
