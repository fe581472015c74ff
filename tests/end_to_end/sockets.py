"""A plain client of the socket for tests: what it sends and gets is what is on the wire."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.end_to_end.servers import Server

PATIENCE = 10.0  # seconds that a test waits for a frame before it fails

Frame = dict[str, Any]


class Client:
    """One open socket; frames are kept until they are asked for, and their texts for good."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.frames: list[Frame] = []
        self.texts: list[str | bytes] = []
        self._arrived = asyncio.Condition()
        self._ids = itertools.count(1)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for message in self.connection:
                async with self._arrived:
                    self.texts.append(message)
                    self.frames.append(json.loads(message))
                    self._arrived.notify_all()
        except ConnectionClosed:
            pass
        async with self._arrived:
            self._arrived.notify_all()

    async def send(self, action: str, payload: object = None, **envelope: object) -> None:
        """Send a frame without waiting for anything."""
        frame = {"action": action, "payload": {} if payload is None else payload, **envelope}
        await self.connection.send(json.dumps(frame))

    async def text(self, text: str | bytes) -> None:
        """Send a message as it stands."""
        await self.connection.send(text)

    async def request(
        self, action: str, payload: object = None, seconds: float = PATIENCE
    ) -> Frame:
        """Send a request and return the frame that answers it."""
        id_ = f"t{next(self._ids)}"
        await self.send(action, payload, id=id_)
        return await self.take(lambda frame: frame.get("id") == id_, seconds)

    async def ask(self, action: str, payload: object = None) -> Any:
        """The payload of the reply to a request that must succeed."""
        frame = await self.request(action, payload)
        assert frame["action"] != "error", frame
        return frame["payload"]

    async def refusal(self, action: str, payload: object = None) -> Any:
        """The payload of the error that a request must meet."""
        frame = await self.request(action, payload)
        assert frame["action"] == "error", frame
        return frame["payload"]

    async def event(self, action: str, **fields: object) -> Any:
        """The payload of the next ``action`` frame without an id, whose fields are as given."""
        frame = await self.take(
            lambda frame: (
                frame["action"] == action
                and "id" not in frame
                and all(frame["payload"].get(name) == value for name, value in fields.items())
            )
        )
        return frame["payload"]

    async def take(self, wanted: Callable[[Frame], bool], seconds: float = PATIENCE) -> Frame:
        """The first frame that is ``wanted``, among those not taken yet."""
        async with asyncio.timeout(seconds), self._arrived:
            while True:
                for index, frame in enumerate(self.frames):
                    if wanted(frame):
                        return self.frames.pop(index)
                if self._reader.done():
                    raise AssertionError(f"The socket closed; left over: {self.frames}")
                await self._arrived.wait()

    async def closed(self, seconds: float = PATIENCE) -> int | None:
        """Wait until the server closes the socket; the close code."""
        async with asyncio.timeout(seconds):
            await asyncio.shield(self._reader)
        return self.connection.close_code

    async def close(self) -> None:
        """Close the socket."""
        await self.connection.close()
        await self._reader

    async def serve(
        self, name: str, functions: Sequence[Mapping[str, object]], **more: object
    ) -> Any:
        """Connect a remote; returns the reply's payload."""
        return await self.ask(
            "remote-connect", {"remotename": name, "functions": functions, **more}
        )


@asynccontextmanager
async def socket(
    server: Server,
    *,
    token: str | None = None,
    cookie: str | None = None,
    welcome: bool = True,
    **options: Any,
) -> AsyncIterator[Client]:
    """An open socket, by token or by cookie; its ``welcome`` is taken unless told otherwise."""
    headers = dict(options.pop("headers", {}))
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if cookie is not None:
        headers.setdefault("Cookie", cookie)
        headers.setdefault("Origin", server.url)
    options = {"max_size": None, "open_timeout": 30, **options}
    async with connect(server.ws_url, additional_headers=headers, **options) as connection:
        client = Client(connection)
        if welcome:
            await client.event("welcome")
        try:
            yield client
        finally:
            client._reader.cancel()


def function(
    name: str, properties: Mapping[str, object] | None = None, **more: object
) -> dict[str, object]:
    """A function's definition."""
    parameters = {"type": "object", "properties": dict(properties or {})}
    return {"name": name, "description": f"{name} for tests", "parameters": parameters, **more}


@asynccontextmanager
async def bench(
    server: Server,
    token: str,
    name: str = "bench",
    extra: Sequence[Mapping[str, object]] | None = None,
) -> AsyncIterator[Client]:
    """A program that serves ``echo``, ``slow {seconds}``, ``fail`` and ``silent``."""
    async with socket(server, token=token) as client:
        functions = [
            function("echo"),
            function("slow"),
            function("fail"),
            function("silent", timeout=0.5),
        ]
        await client.serve(name, [*functions, *(extra or [])])
        serving = asyncio.create_task(_answer_calls(client))
        # A test may close the socket; that ends the answering, and is no fault of its own.
        serving.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            yield client
        finally:
            serving.cancel()


async def _answer_calls(client: Client) -> None:
    async with asyncio.TaskGroup() as group:
        while True:
            frame = await client.take(
                lambda frame: frame["action"] == "remote-call" and "id" not in frame, 3600
            )
            group.create_task(_answer(client, frame["payload"]))


async def _answer(client: Client, call: Mapping[str, Any]) -> None:
    outcome: dict[str, object] = {"requestId": call["requestId"]}
    match call["function"]:
        case "slow":
            await asyncio.sleep(call["args"].get("seconds", 1))
            outcome["result"] = "done"
        case "fail":
            outcome["error"] = "boom"
        case "silent":
            return
        case _:
            outcome["result"] = call["args"]
    await client.send("remote-call-result", outcome)
