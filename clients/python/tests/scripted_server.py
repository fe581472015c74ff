"""A server that speaks the protocol's other side, one frame at a time, as a test tells it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve

from remotes_client import Remote, RemotesError

TOKEN = "a-good-token"
PATIENCE = 15.0  # seconds until a test that waits for something is failed
LIMITS = {"frame": 983_040, "frameOut": 1_048_576, "depth": 128}


class Peer:
    """The server's end of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self._passed: list[dict[str, Any]] = []

    @property
    def headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.socket.request.headers.raw_items()}

    async def send(self, action: str, payload: Any = None, id: str | None = None) -> None:
        frame = {"action": action, "payload": payload or {}}
        await self.socket.send(json.dumps(frame if id is None else {**frame, "id": id}))

    async def receive(self, action: str) -> dict[str, Any]:
        """The next frame with this action; others stay for later."""
        for frame in self._passed:
            if frame["action"] == action:
                self._passed.remove(frame)
                return frame
        while True:
            frame = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if frame["action"] == action:
                return frame
            self._passed.append(frame)

    def passed(self, action: str) -> list[dict[str, Any]]:
        """The frames with this action that came while others were waited for."""
        return [frame for frame in self._passed if frame["action"] == action]

    async def register(self, **reply: Any) -> dict[str, Any]:
        """Take the client's registration, and give what it registered."""
        frame = await self.receive("remote-connect")
        payload = frame["payload"]
        names = [function["name"] for function in payload["functions"]]
        answer = {"remotename": payload["remotename"], "functions": names, "refused": []}
        await self.send("remote-connect", {**answer, "replaced": False, **reply}, frame["id"])
        return payload

    async def begin(self, function: str, request_id: str = "r1", **args: Any) -> None:
        """Send a call and do not wait for its outcome."""
        call = {"requestId": request_id, "remotename": "bench", "function": function}
        await self.send("remote-call", {**call, "args": args, "deadline": 30.0})

    async def call(self, function: str, request_id: str = "r1", **args: Any) -> dict[str, Any]:
        """The outcome of a call: ``{"result": ...}`` or ``{"error": ...}``."""
        await self.begin(function, request_id, **args)
        payload = (await self.receive("remote-call-result"))["payload"]
        assert payload.pop("requestId") == request_id
        return payload

    async def is_quiet(self) -> bool:
        """Whether the client has sent nothing but the answer to a ping sent now."""
        await self.send("ping")
        await self.receive("pong")
        return not self._passed

    async def closed(self) -> None:
        """Return once the client has closed the connection."""
        await asyncio.wait_for(self.socket.wait_closed(), PATIENCE)


class ScriptedServer:
    """Accepts connections as the real server does; a test plays what follows the greeting."""

    def __init__(self) -> None:
        self.welcome = {"protocol": 1, "session": "s", "limits": LIMITS}
        self.port = 0
        self._server: Server | None = None
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._server = await serve(
            self._accept, "127.0.0.1", self.port, subprotocols=["remotes.v1"], max_size=None
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def peer(self) -> Peer:
        """The next connection, greeted."""
        return await asyncio.wait_for(self._peers.get(), PATIENCE)

    async def owner(self) -> Peer:
        """The next connection, greeted and registered."""
        peer = await self.peer()
        await peer.register()
        return peer

    async def _accept(self, socket: ServerConnection) -> None:
        peer = Peer(socket)
        if peer.headers.get("authorization") != f"Bearer {TOKEN}":
            error = {"action": None, "code": "unauthenticated", "message": "No."}
            await peer.send("error", error)
            await socket.close(4401)
            return
        await peer.send("welcome", self.welcome)
        await self._peers.put(peer)
        await socket.wait_closed()


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer()
    await scripted.start()
    yield scripted
    await scripted.stop()


@pytest.fixture
def bench(server: ScriptedServer) -> Remote:
    """A remote without functions yet, pointed at the scripted server."""
    return Remote("bench", server=server.address, token=TOKEN)


@asynccontextmanager
async def serving(remote: Remote) -> AsyncIterator[asyncio.Task[None]]:
    """Serve ``remote`` for the length of a block."""
    task = asyncio.create_task(remote.serve_async())
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, RemotesError):
            await task
