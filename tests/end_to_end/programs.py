"""Programs of a user beside a browser test: sockets on a thread of their own, driven from outside.

A test of the page is no coroutine, since it drives the browser with Playwright's plain functions.
Its programs answer a call only when the test says so, so that every state in between can be seen.
"""

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import Frame, socket

PATIENCE = 30.0  # seconds

T = TypeVar("T")


class Background:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have ``work`` run there; the future's ``result()`` waits for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` there to its end."""
        return self.start(work).result(PATIENCE)

    def stop(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


class Program:
    """A program with one open socket."""

    def __init__(self, background: Background, server: Server, token: str) -> None:
        self._background = background
        self._socket = socket(server, token=token)
        self._client = background.run(self._socket.__aenter__())
        self._left = False

    def serve(self, name: str, *functions: Mapping[str, object], **more: object) -> None:
        """Connect a remote with these functions."""
        self._background.run(self._client.serve(name, functions, **more))

    def ask(self, action: str, payload: object = None) -> Any:
        """The payload of the reply to a request that must succeed."""
        return self._background.run(self._client.ask(action, payload))

    def request(self, action: str, payload: object) -> Future[Frame]:
        """Send a request whose reply may come late."""
        return self._background.start(self._client.request(action, payload, PATIENCE))

    def event(self, action: str, **fields: object) -> Any:
        """The payload of the next event of that name, whose fields are as given."""
        return self._background.run(self._client.event(action, **fields))

    def next_call(self) -> Any:
        """The next call that it is asked to do."""
        return self.event("remote-call")

    def answer(self, call: Mapping[str, Any], result: object) -> None:
        """Finish a call."""
        self._result(call, {"result": result})

    def fail(self, call: Mapping[str, Any], error: object) -> None:
        """Finish a call with an error."""
        self._result(call, {"error": error})

    def report(self, call: Mapping[str, Any], **progress: object) -> None:
        """Tell how far a call is."""
        payload = {"requestId": call["requestId"], **progress}
        self._background.run(self._client.send("remote-call-progress", payload))

    def calls_left(self) -> list[Frame]:
        """Calls that came and were not looked at, with nothing still on the way."""
        self.ask("ping")
        return [frame for frame in self._client.frames if frame["action"] == "remote-call"]

    def leave(self) -> None:
        """Close the socket. Safe to call twice."""
        if not self._left:
            self._left = True
            self._background.run(self._client.close())
            self._background.run(self._socket.__aexit__(None, None, None))

    def _result(self, call: Mapping[str, Any], outcome: Mapping[str, object]) -> None:
        payload = {"requestId": call["requestId"], **outcome}
        self._background.run(self._client.send("remote-call-result", payload))
