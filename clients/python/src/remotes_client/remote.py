"""A remote: named functions of this program that the agent may call."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NoReturn, TypeVar, overload

from remotes_client.console import complain, say
from remotes_client.errors import NameLostError, RemotesError
from remotes_client.functions import Function, make_function
from remotes_client.servers import find_server
from remotes_client.serving import Offer, Service

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class Remote:
    """A set of functions under one name.

    Args:
        name: What the remote is called on the page; unique among the user's remotes.
        server: The server's address; else ``REMOTES_SERVER``, else ``http://127.0.0.1:8000``.
        token: What opens the server; else ``REMOTES_TOKEN``.
        title: A friendlier name for people, if any.
        description: A few words on what the remote is for, if any.
    """

    def __init__(
        self,
        name: str,
        *,
        server: str | None = None,
        token: str | None = None,
        title: str | None = None,
        description: str | None = None,
    ) -> None:
        self.name = name
        self.server = server
        self.token = token
        self.title = title
        self.description = description
        self._functions: dict[str, Function] = {}

    @property
    def functions(self) -> Mapping[str, Function]:
        """What is served, by name."""
        return self._functions

    @overload
    def function(self, function: AnyFunction, /) -> AnyFunction: ...

    @overload
    def function(
        self,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = None,
        confirm: bool | None = None,
        annotations: Mapping[str, Any] | None = None,
    ) -> Callable[[AnyFunction], AnyFunction]: ...

    def function(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Serve a function: ``@remote.function``, or with options ``@remote.function(timeout=5)``.

        The function itself stays as it is. A plain one runs in a thread of its own for each call,
        an ``async`` one on the event loop, which it must not block.

        Args:
            function: The function, when used without options.
            options: ``name`` and ``description``, else taken from the function and its docstring;
                ``timeout`` in seconds, more than 0 and at most 600 (the server's default is 30);
                ``confirm``, whether a person approves each call; ``annotations``, MCP's hints.

        Raises:
            HintError: A parameter has a type that JSON can't carry.
            ValueError: The name is taken, or the timeout out of range.
        """
        if function is None:
            return lambda function: self._add(function, options)
        return self._add(function, options)

    def _add(self, function: AnyFunction, options: Mapping[str, Any]) -> AnyFunction:
        made = make_function(function, **options)
        if made.name in self._functions:
            raise ValueError(f"{self.name} has a function {made.name} already.")
        self._functions[made.name] = made
        return function

    async def serve_async(self) -> NoReturn:
        """Serve until something ends it; a broken connection is made again.

        Cancelling it is safe: the connection is closed, and calls that run are given up.

        Raises:
            AddressError: The server's address can't be understood.
            NameLostError: Another program took the name, or the user disconnected it.
            ServerError: The server can't serve this client, or refuses the functions.
            TokenError: There is no token, or the server does not accept it.
        """
        texts = {"title": self.title, "description": self.description}
        about = {key: text for key, text in texts.items() if text}
        offer = Offer(self.name, self._functions, about)
        await Service(offer, find_server(self.server, self.token)).run()

    def serve(self) -> None:
        """Serve until Ctrl+C, or until the name is lost; says so and returns.

        Raises:
            SystemExit: With code 1, after one sentence, where :meth:`serve_async` raises an error.
        """
        if run_until_ended(self.serve_async()):
            raise SystemExit(1)


def run_until_ended(work: Coroutine[Any, Any, Any]) -> int:
    """Run ``work`` to its end, say in a sentence what ended it, and give the exit code.

    Ctrl+C, SIGTERM and a lost name are good ends (0), so that no supervisor starts a program
    again to fight over a name; every other error is a bad one (1).
    """
    try:
        asyncio.run(_stop_on_signals(work))
    except (KeyboardInterrupt, asyncio.CancelledError):
        say("Ended.")
    except NameLostError as lost:
        complain(str(lost))
    except RemotesError as error:
        complain(str(error))
        return 1
    return 0


async def _stop_on_signals(work: Coroutine[Any, Any, Any]) -> None:
    task = asyncio.ensure_future(work)
    if sys.platform != "win32":
        # Neither Windows nor a thread other than the main one can have such handlers.
        with contextlib.suppress(RuntimeError, ValueError):
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    await task
