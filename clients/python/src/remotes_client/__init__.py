"""Offer functions of this computer to the AI agent of a Remotes server."""

__version__ = "0.1.0"

from remotes_client.calls import cancelled, progress
from remotes_client.errors import (
    AddressError,
    CallError,
    NameLostError,
    RemotesError,
    ServerAwayError,
    ServerError,
    TokenError,
)
from remotes_client.functions import confirm
from remotes_client.remote import Remote

__all__ = [
    "AddressError",
    "CallError",
    "NameLostError",
    "Remote",
    "RemotesError",
    "ServerAwayError",
    "ServerError",
    "TokenError",
    "cancelled",
    "confirm",
    "progress",
]
