"""Which server the client talks to, and with which token."""

import os
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit, urlunsplit

from remotes_client.errors import AddressError, TokenError

DEFAULT_SERVER = "http://127.0.0.1:8000"
_WEBSOCKET_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True)
class Server:
    """A server's address as a person writes it, and the token that opens it."""

    address: str
    token: str = field(repr=False)

    @property
    def socket_url(self) -> str:
        """The address of the server's WebSocket endpoint."""
        parts = _split(self.address)
        path = parts.path.rstrip("/").removesuffix("/ws") + "/ws/"
        return urlunsplit((_WEBSOCKET_SCHEMES[parts.scheme], parts.netloc, path, "", ""))

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this computer, where no proxy belongs in between."""
        return _split(self.address).hostname in _LOOPBACK


def find_server(address: str | None = None, token: str | None = None) -> Server:
    """The server to use: what is given, else ``REMOTES_SERVER`` and ``REMOTES_TOKEN``.

    Raises:
        AddressError: The address is no ``http`` or ``https`` address.
        TokenError: There is no token, or it holds characters that no token has.
    """
    address = address or os.environ.get("REMOTES_SERVER") or DEFAULT_SERVER
    if "://" not in address:
        address = f"http://{address}"
    _split(address)
    token = (token or os.environ.get("REMOTES_TOKEN") or "").strip()
    if not token:
        raise TokenError(
            "There is no token: give --token or set REMOTES_TOKEN. The page makes one."
        )
    if not re.fullmatch("[A-Za-z0-9_-]+", token):
        raise TokenError("The token is not complete: tokens hold only letters, digits, _ and -.")
    return Server(address.rstrip("/"), token)


def _split(address: str) -> SplitResult:
    wrong = f"{address} is no server address; one looks like {DEFAULT_SERVER}."
    try:
        parts = urlsplit(address)
        has_port = parts.port != 0 and not parts.netloc.endswith(":")
    except ValueError as error:
        raise AddressError(wrong) from error
    if parts.scheme not in _WEBSOCKET_SCHEMES or not parts.hostname or not has_port:
        raise AddressError(wrong)
    return parts
