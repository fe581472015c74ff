"""A function as a remote declares it: its definition, and the check of its arguments."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from gateway.exceptions import InvalidPayloadError
from gateway.frames import QUOTED
from gateway.limits import limits
from gateway.names import checked_name
from remotes.arguments import ArgumentCheck
from remotes.exceptions import InvalidArgsError
from remotes.offers import Offer, offered
from remotes.schemas import Schema, SchemaError, normalised

Seconds = Annotated[float, msgspec.Meta(gt=0, le=limits.call_timeout_max)]


class Definition(msgspec.Struct, omit_defaults=True):
    """A function on the wire, as in ``remote-connect`` and ``remote-list``."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    timeout: Seconds | None = None
    confirm: bool | None = None
    annotations: dict[str, Any] | None = None


class _AsWritten(msgspec.Struct):
    parameters: msgspec.Raw = msgspec.Raw(b"null")


class Refusal(msgspec.Struct):
    """Why one function of a ``remote-connect`` is not registered."""

    name: str | None
    path: str
    message: str


class RefusedFunctionError(Exception):
    """A definition that cannot be used; ``refusal`` tells its sender."""

    def __init__(self, name: str | None, path: str, message: str) -> None:
        super().__init__(message)
        self.refusal = Refusal(name, path, message)


class RemoteFunction:
    """A function that a remote exposes.

    Attributes:
        name: Its name, in NFC, as the remote knows it.
        description: What it does, for the model and the user; may be empty.
        parameters: The JSON Schema of its arguments, always of type object.
        timeout: Seconds that a call may take.
        confirm: Whether a person approves each call.
        annotations: MCP's hints, shown to the user.
        digest: Names the definition: equal for two functions that are defined alike.
        wire: The definition as JSON text, its ``parameters`` as they were sent.
    """

    def __init__(
        self,
        name: str,
        description: str = "",
        parameters: Schema | None = None,
        *,
        timeout: float | None = None,
        confirm: bool = False,
        annotations: Mapping[str, Any] | None = None,
        parameters_as_sent: msgspec.Raw | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = normalised(parameters)
        self.timeout = timeout or limits.call_timeout
        self.confirm = confirm
        self.annotations = dict(annotations or {})
        self._check = ArgumentCheck(self.parameters)
        shown: dict[str, object] = {
            "name": name,
            "description": description,
            "parameters": parameters_as_sent or self.parameters,
        }
        if timeout is not None:
            shown["timeout"] = timeout
        if confirm:
            shown["confirm"] = True
        if annotations:
            shown["annotations"] = annotations
        self._offer: Offer | None = None
        self.wire = msgspec.Raw(msgspec.json.encode(shown))
        self.digest = hashlib.sha256(self.wire).hexdigest()

    @classmethod
    def from_wire(cls, text: msgspec.Raw, index: int) -> "RemoteFunction":
        """The function that the ``index``-th entry of ``remote-connect``'s functions defines.

        Raises:
            RefusedFunctionError: The definition is not usable.
        """
        name = _name_in(text)
        if len(text) > limits.definition:
            message = f"A definition may have {limits.definition} bytes; this one has {len(text)}."
            raise RefusedFunctionError(name, f"functions.{index}", message)
        try:
            definition = msgspec.json.decode(text, type=Definition)
            definition.name = checked_name(definition.name, f"functions.{index}.name")
        except msgspec.DecodeError as error:
            message, _, path = str(error).partition(" - at `$")
            path = f"functions.{index}" + path.rstrip("`").replace("[", ".").replace("]", "")
            raise RefusedFunctionError(name, path[:QUOTED], f"{message[:QUOTED]}.") from error
        except InvalidPayloadError as error:
            fault = error.details[0]
            raise RefusedFunctionError(name, fault["path"], fault["message"]) from error
        return cls._from_definition(definition, text, index)

    @classmethod
    def _from_definition(
        cls, definition: Definition, text: msgspec.Raw, index: int
    ) -> "RemoteFunction":
        as_sent = msgspec.json.decode(text, type=_AsWritten).parameters
        try:
            return cls(
                definition.name,
                definition.description or "",
                definition.parameters,
                timeout=definition.timeout,
                confirm=bool(definition.confirm),
                annotations=definition.annotations,
                parameters_as_sent=None if definition.parameters is None else as_sent,
            )
        except SchemaError as error:
            path = f"functions.{index}.parameters" + (f".{error.path}" if error.path else "")
            raise RefusedFunctionError(definition.name, path, str(error)) from error

    @property
    def offer(self) -> Offer:
        """What a model is given of the parameters; worked out once."""
        if self._offer is None:
            self._offer = offered(self.parameters)
        return self._offer

    async def check(self, args: dict[str, object], user_id: int = 0) -> None:
        """Make sure that ``args`` fit the function's parameters.

        Args:
            user_id: Whose turn it is where large arguments need a process to be checked in.

        Raises:
            InvalidArgsError: They do not; it names each path and what was expected.
            BusyError: Too many such checks of that user wait already.
        """
        faults = await self._check.faults(args, user_id)
        if faults:
            told = "; ".join(
                f"{fault['path']}: {fault['message']}" if fault["path"] else fault["message"]
                for fault in faults
            )
            raise InvalidArgsError(f"The arguments do not fit {self.name}: {told}.", faults)


def _name_in(text: msgspec.Raw) -> str | None:
    """The name that an unusable definition gives itself, as far as it can be made out."""
    try:
        entry = msgspec.json.decode(text)
    except msgspec.DecodeError:  # a number in it is beyond what can be read
        return None
    name = entry.get("name") if isinstance(entry, dict) else None
    return name[: limits.name] if isinstance(name, str) else None
