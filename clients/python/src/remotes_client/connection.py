"""One open connection to the server: opened, greeted, sent to, read from."""

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remotes_client import python310
from remotes_client.errors import ServerAwayError, ServerError, TokenError
from remotes_client.results import encode
from remotes_client.servers import Server

python310.prepare()

from websockets.asyncio.client import ClientConnection, connect  # noqa: E402
from websockets.exceptions import (  # noqa: E402
    ConnectionClosed,
    InvalidHandshake,
    InvalidStatus,
    InvalidURI,
)
from websockets.typing import Subprotocol  # noqa: E402

PROTOCOL = 1
SUBPROTOCOL = Subprotocol("remotes.v1")
CLOSE_UNAUTHENTICATED = 4401
OPEN_TIMEOUT = 10.0  # seconds, for the handshake and again for the greeting
CLOSE_TIMEOUT = 2.0  # seconds
MAX_FRAME_IN = 64 * 1024 * 1024  # bytes; far above what a server sends, which it says only later
PASSING_STATUS = {408, 425, 429, 500, 502, 503, 504}  # a proxy's, while the server restarts


@dataclass(frozen=True)
class Frame:
    """What the server sent: an answer to the request ``id``, or an event without one."""

    action: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


class Connection:
    """A connection that the server has greeted.

    Attributes:
        limits: The server's limits by name, from its ``welcome``.
    """

    def __init__(self, socket: ClientConnection, server: Server) -> None:
        self.limits: Mapping[str, Any] = {}
        self._socket = socket
        self._server = server

    async def greet(self) -> None:
        """Read the server's greeting.

        Raises:
            ServerAwayError: It does not come.
            ServerError: It is none of a server that this client can talk to.
            TokenError: The token is not accepted.
        """
        try:
            frame = await asyncio.wait_for(self.receive(), OPEN_TIMEOUT)
        except asyncio.TimeoutError as error:  # on 3.10 not TimeoutError
            raise ServerAwayError(f"{self._server.address} does not answer.") from error
        if frame.action != "welcome":
            raise self._not_remotes()
        if frame.payload.get("protocol") != PROTOCOL:
            raise ServerError(
                f"{self._server.address} speaks protocol {frame.payload.get('protocol')}, this "
                f"program {PROTOCOL}. Get a new remotes.pyz from the server."
            )
        self.limits = frame.payload.get("limits") or {}

    async def send(self, text: str) -> None:
        """Send one frame's text; several tasks may do so at once.

        Raises:
            ServerAwayError: The connection is closed.
        """
        try:
            await self._socket.send(text)
        except ConnectionClosed as closed:
            raise self._end(closed) from closed

    async def request(self, action: str, payload: Mapping[str, Any], id: str) -> None:
        """Send a request; its answer comes to :meth:`receive`, with the same ``id``.

        Raises:
            ServerAwayError: The connection is closed.
            ServerError: The request is larger than the server takes.
        """
        text = encode({"action": action, "payload": payload, "id": id})
        limit = self.limits.get("frame")
        if limit is not None and len(text.encode()) > limit:
            raise ServerError(
                f"{action} is too large: {len(text.encode()):,} bytes, and the server takes "
                f"at most {limit:,}."
            )
        await self.send(text)

    async def receive(self) -> Frame:
        """The next frame.

        Raises:
            ServerAwayError: The connection is closed.
            ServerError: It is no frame of this protocol.
            TokenError: The token is not accepted, or no longer.
        """
        try:
            frame = _read(await self._socket.recv())
        except ConnectionClosed as closed:
            raise self._end(closed) from closed
        except (ValueError, KeyError, TypeError) as error:
            raise self._not_remotes() from error
        if frame.action == "error" and frame.payload.get("code") == "unauthenticated":
            raise _refused(self._server)
        return frame

    async def close(self) -> None:
        """Close the connection; it may be closed already."""
        await self._socket.close()

    def _not_remotes(self) -> ServerError:
        return ServerError(f"{self._server.address} does not answer as a Remotes server.")

    def _end(self, closed: ConnectionClosed) -> ServerAwayError | TokenError:
        if closed.rcvd is not None and closed.rcvd.code == CLOSE_UNAUTHENTICATED:
            return _refused(self._server)
        return ServerAwayError(f"The connection to {self._server.address} is lost.")


class _Connect(connect):
    """Connects where it is told to: a redirect would drop the token on the way."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


async def open_connection(server: Server) -> Connection:
    """Connect to ``server`` and wait for its greeting.

    Raises:
        ServerAwayError: It can't be reached now.
        ServerError: It can be reached, but can't be used.
        TokenError: It does not accept the token.
    """
    connection = Connection(await _open_socket(server), server)
    try:
        await connection.greet()
    except BaseException:
        await connection.close()
        raise
    return connection


async def _open_socket(server: Server) -> ClientConnection:
    try:
        return await _Connect(
            server.socket_url,
            additional_headers={"Authorization": f"Bearer {server.token}"},
            subprotocols=[SUBPROTOCOL],
            proxy=None if server.is_local else True,
            open_timeout=OPEN_TIMEOUT,
            close_timeout=CLOSE_TIMEOUT,
            max_size=MAX_FRAME_IN,
        )
    except InvalidStatus as error:
        raise _status_error(server, error) from error
    except ssl.SSLError as error:
        raise ServerError(f"{server.address} can't be trusted: {error}.") from error
    except (InvalidURI, ImportError) as error:  # a SOCKS proxy needs a package of its own
        raise ServerError(f"{server.address} can't be used: {error}.") from error
    except (OSError, InvalidHandshake, asyncio.TimeoutError) as error:
        raise ServerAwayError(f"{server.address} can't be reached ({_reason(error)}).") from error


def _status_error(server: Server, error: InvalidStatus) -> ServerError | ServerAwayError:
    status = error.response.status_code
    target = error.response.headers.get("Location")
    if target and 300 <= status < 400:
        return ServerError(f"{server.address} redirects to {target}; give that server's address.")
    if status in PASSING_STATUS:
        return ServerAwayError(f"{server.address} is not ready (HTTP {status}).")
    return ServerError(f"{server.address} refuses the connection (HTTP {status}).")


def _reason(error: BaseException) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def _read(message: str | bytes) -> Frame:
    content = json.loads(message)
    return Frame(content["action"], content.get("payload") or {}, content.get("id"))


def _refused(server: Server) -> TokenError:
    return TokenError(
        f"{server.address} does not accept the token: it is wrong, expired or revoked. "
        "The page makes a new one."
    )
