"""The openai clients of this process: one for each endpoint, kept for the event loop's life."""

import asyncio
from weakref import WeakKeyDictionary

import httpx2
import openai

from agents import demo
from agents.endpoints import DEMO, Endpoint

CONNECT_TIMEOUT = 5.0  # seconds
SEND_TIMEOUT = 60.0  # seconds for a free connection, and for a part of the request

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Endpoint, openai.AsyncOpenAI]] = (
    WeakKeyDictionary()
)


def client_for(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """The client for an endpoint; making one takes 20 ms, so it is kept.

    It tries nothing twice by itself: see ``agents.retries``.
    """
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if endpoint not in clients:
        clients[endpoint] = _new_client(endpoint)
    return clients[endpoint]


async def close() -> None:
    """Close the connections that this event loop has used."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.close()


def _new_client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    if endpoint is DEMO:
        http_client = openai.DefaultAsyncHttpx2Client(transport=demo.Transport())
    else:
        http_client = None
    return openai.AsyncOpenAI(
        api_key=endpoint.api_key or "none",  # the SDK insists on one, local servers do not
        base_url=endpoint.base_url,
        timeout=httpx2.Timeout(SEND_TIMEOUT, connect=CONNECT_TIMEOUT, read=endpoint.silence),
        max_retries=0,
        http_client=http_client,
    )
