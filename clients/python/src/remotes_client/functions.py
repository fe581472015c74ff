"""A function that a remote offers: what the server is told of it, and how a call runs it."""

import asyncio
import contextvars
import dataclasses
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from remotes_client.docstrings import read_docstring
from remotes_client.hints import HintError, hints_of, shape_of
from remotes_client.results import result_text
from remotes_client.scalars import SCALARS
from remotes_client.shapes import Either, Field, Schema, Shape, accepts_none, load_fields
from remotes_client.shapes import object_schema as schema_of_fields

MAX_TIMEOUT = 600.0  # seconds, the protocol's
MAX_THREADS = 256  # calls; the server's own bound for one remote
_CONFIRM_MARK = "__remotes_confirm__"

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class ArgumentError(ValueError):
    """The arguments of a call do not fit the function; the text names the parameter."""


class BusyError(Exception):
    """More calls run in threads than a remote may have."""


def confirm(function: AnyFunction) -> AnyFunction:
    """Mark a function so that a person approves each call on the page before it runs."""
    setattr(function, _CONFIRM_MARK, True)
    return function


class Parameters:
    """A function's parameters: their schema, and the way from a call's arguments to them."""

    def __init__(self, function: Callable[..., Any], texts: Mapping[str, str]) -> None:
        hints = hints_of(function) if inspect.isroutine(function) else {}
        self._parameters = list(inspect.signature(function).parameters.values())
        self._fields: dict[str, Field] = {}
        self._extra: Shape | None = None  # the shape of **keywords, where there are any
        for parameter in self._parameters:
            hint = hints.get(parameter.name, Any)
            try:
                self._add(parameter, shape_of(hint), texts.get(parameter.name, ""))
            except HintError as error:
                raise HintError(f"parameter {parameter.name}: {error}") from error

    def _add(self, parameter: inspect.Parameter, shape: Shape, text: str) -> None:
        if parameter.kind is parameter.VAR_KEYWORD:
            self._extra = shape
        elif parameter.kind is not parameter.VAR_POSITIONAL:  # no call by name can reach *args
            self._fields[parameter.name] = _field(parameter, shape, text)

    def schema(self) -> Schema:
        """The JSON Schema of the object that a call passes."""
        schema = schema_of_fields(self._fields, (), closed=self._extra is None)
        extra = self._extra.schema() if self._extra else {}
        return {**schema, "additionalProperties": extra} if extra else schema

    def bind(self, arguments: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The positional and keyword arguments, each as its hinted type.

        Raises:
            ArgumentError: One is missing, unknown or does not fit.
        """
        others = {name: value for name, value in arguments.items() if name not in self._fields}
        if others and self._extra is None:
            raise ArgumentError(f"There is no parameter {next(iter(others))}.")
        try:
            keywords = load_fields(self._fields, arguments)
            extra = {name: self._extra.load(others[name]) for name in others if self._extra}
        except ValueError as fault:
            raise ArgumentError(str(fault)) from fault
        return self._positional(keywords), {**keywords, **extra}

    def _positional(self, keywords: dict[str, Any]) -> list[Any]:
        """Take out of ``keywords`` what can only be passed by its place."""
        return [
            keywords.pop(parameter.name, parameter.default)
            for parameter in self._parameters
            if parameter.kind is parameter.POSITIONAL_ONLY
        ]


@dataclasses.dataclass(frozen=True)
class Function:
    """A function with the name, description and options under which it is served."""

    call: Callable[..., Any]
    name: str
    description: str
    parameters: Parameters
    options: Mapping[str, Any]

    def definition(self) -> dict[str, Any]:
        """The function as ``remote-connect`` registers it."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters.schema(),
            **self.options,
        }

    async def run(self, arguments: Mapping[str, Any], room: int) -> str:
        """The JSON text of what the function returns; a plain function runs in its own thread.

        Args:
            arguments: The call's ``args``.
            room: How many arrays and objects may lie inside each other in the result.
        Raises:
            ArgumentError: The arguments do not fit.
            BusyError: Too many threads run.
            ResultError: What it returned has no JSON form.
            Exception: Whatever the function raises.
        """
        positional, keywords = self.parameters.bind(arguments)
        if inspect.iscoroutinefunction(self.call):
            return result_text(await self.call(*positional, **keywords), room)

        def work() -> Any:
            result = self.call(*positional, **keywords)
            return result if inspect.isawaitable(result) else result_text(result, room)

        text = await _in_thread(work)
        return text if isinstance(text, str) else result_text(await text, room)


def make_function(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    confirm: bool | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> Function:
    """Describe ``function`` from its hints and docstring; what is given here wins over them.

    Raises:
        HintError: A parameter has a type that JSON can't carry.
        ValueError: The timeout is not between 0 and 600 s, or there is no name.
    """
    name = name or getattr(function, "__name__", None)
    if name is None:
        raise ValueError(f"{function!r} has no name of its own; give name=.")
    if timeout is not None and not 0 < timeout <= MAX_TIMEOUT:
        raise ValueError(f"A timeout is more than 0 and at most {MAX_TIMEOUT:g} seconds.")
    text, parameter_texts = read_docstring(inspect.getdoc(function))
    needs_approval = getattr(function, _CONFIRM_MARK, None) if confirm is None else confirm
    options = {"timeout": timeout, "confirm": needs_approval, "annotations": annotations}
    return Function(
        call=function,
        name=name,
        description=text if description is None else description,
        parameters=Parameters(function, parameter_texts),
        options={key: value for key, value in options.items() if value is not None},
    )


def _field(parameter: inspect.Parameter, shape: Shape, text: str) -> Field:
    if parameter.default is parameter.empty:
        return Field(shape, text)
    if parameter.default is None and not accepts_none(shape):
        shape = Either((shape, SCALARS[type(None)]))
    return Field(shape, text, required=False, default=parameter.default)


_threads: set[threading.Thread] = set()


async def _in_thread(work: Callable[[], Any]) -> Any:
    """Run ``work`` in a daemon thread: unlike a pool's, it can't keep the program from ending."""
    if len(_threads) >= MAX_THREADS:
        raise BusyError(f"{MAX_THREADS} calls are still running here.")
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        _threads.discard(thread)
        if not outcome.done():
            outcome.set_result((result, error))

    def body() -> None:
        result, error = None, None
        try:
            result = context.run(work)
        except BaseException as raised:  # even SystemExit ends only the call
            error = raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    thread = threading.Thread(target=body, name="remotes-call", daemon=True)
    _threads.add(thread)
    thread.start()
    result, error = await outcome
    if error is None:
        return result
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        raise error
    raise RuntimeError(f"{type(error).__name__}: {error}") from error
