"""The remote-* actions: connecting, listing and calling remotes, and answering their calls."""

import asyncio
import re
from typing import Annotated, Any

import msgspec

from gateway import consumers, heartbeat, nodes
from gateway.actions import Reply, Scope, action, inline_action
from gateway.exceptions import (
    ActionError,
    InvalidJsonError,
    InvalidPayloadError,
    TooLargeError,
    TooManyError,
)
from gateway.frames import detail
from gateway.limits import limits
from gateway.names import checked_name
from gateway.sessions import Session
from gateway.texts import beginning
from gateway.wire import call_object
from remotes import approvals, registry
from remotes.calls import Call, Change, Watcher, new_call_id
from remotes.connections import RemoteConnection, pending_of
from remotes.exceptions import CancelledCallError, RemoteError
from remotes.functions import Refusal, RefusedFunctionError, RemoteFunction, Seconds

PAGE_MARGIN = 4096  # bytes kept free for the envelope of a page

ClientText = Annotated[str, msgspec.Meta(max_length=200)]
RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]


class Client(msgspec.Struct, omit_defaults=True):
    """Where a remote runs, as it says itself."""

    program: ClientText | None = None
    host: ClientText | None = None
    title: ClientText | None = None


class RemoteConnect(msgspec.Struct):
    """The payload of ``remote-connect``."""

    remotename: str
    functions: list[msgspec.Raw]
    title: ClientText | None = None
    description: str | None = None
    client: Client | None = None
    heartbeat: bool | None = None


class RemoteDisconnect(msgspec.Struct):
    """The payload of ``remote-disconnect``."""

    remotename: str


class RemoteList(msgspec.Struct):
    """The payload of ``remote-list``."""

    after: str | None = None


class RemoteCall(msgspec.Struct):
    """The payload of ``remote-call``."""

    remotename: str
    function: str
    args: msgspec.Raw = msgspec.Raw(b"{}")
    requestId: RequestId | None = None  # noqa: N815
    timeout: Seconds | None = None


class RemoteCallResult(msgspec.Struct):
    """The payload of ``remote-call-result``."""

    requestId: str  # noqa: N815
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: Any = None


class RemoteCallProgress(msgspec.Struct):
    """The payload of ``remote-call-progress``."""

    requestId: str  # noqa: N815
    progress: float | None = None
    total: float | None = None
    message: str | None = None


class RemoteCallCancel(msgspec.Struct):
    """The payload of ``remote-call-cancel``."""

    requestId: str  # noqa: N815


# Connecting and listing


@action("remote-connect", RemoteConnect, scope=Scope.SERVE, ordered=True)
async def remote_connect(session: Session, payload: RemoteConnect) -> Reply:
    """Register a remote of this socket's user, served by this socket."""
    name = checked_name(payload.remotename, "remotename")
    if len(payload.functions) > limits.functions:
        given = len(payload.functions)
        raise TooManyError(f"A remote may have {limits.functions} functions; this one has {given}.")
    functions, refused = await _functions(payload.functions)
    if payload.functions and not functions:
        faults = [detail(entry.path, entry.message)[0] for entry in refused]
        raise InvalidPayloadError(f"No function of {name} can be used.", faults)
    connection = RemoteConnection(
        session,
        name,
        functions,
        title=payload.title or "",
        description=payload.description or "",
        client=msgspec.to_builtins(payload.client or Client()),
    )
    if len(_encoded(connection, session)) > limits.frame_out - 2 * PAGE_MARGIN:
        raise TooLargeError(f"The definition of {name} does not fit one frame of remote-list.")
    replaced = registry.connect(connection)
    if payload.heartbeat:
        _watch_once(session)
    return {
        "remotename": name,
        "functions": [function.name for function in functions],
        "refused": refused,
        "replaced": replaced,
    }


async def _functions(texts: list[msgspec.Raw]) -> tuple[list[RemoteFunction], list[Refusal]]:
    """The usable functions, and why the others are not."""
    functions: dict[str, RemoteFunction] = {}
    refused: list[Refusal] = []
    for index, text in enumerate(texts):
        try:
            function = RemoteFunction.from_wire(text, index)
            if function.name in functions:
                message = "An earlier function has the same name."
                raise RefusedFunctionError(function.name, f"functions.{index}.name", message)
        except RefusedFunctionError as error:
            refused.append(error.refusal)
        else:
            functions[function.name] = function
        await asyncio.sleep(0)  # compiling many schemas in one go would hold up other sockets
    for function in functions.values():
        _ = function.offer  # else a run would work all of them out in one go
        await asyncio.sleep(0)
    return list(functions.values()), refused


def _watch_once(session: Session) -> None:
    if not session.watched:
        session.watched = True
        session.spawn(heartbeat.watch(session))


@action("remote-disconnect", RemoteDisconnect, scope=Scope.SERVE, ordered=True)
async def remote_disconnect(session: Session, payload: RemoteDisconnect) -> Reply:
    """Take one of the user's remotes away, whoever serves it."""
    name = checked_name(payload.remotename, "remotename")
    registry.disconnect(session.user_id, name, session)
    return {"remotename": name}


@action("remote-list", RemoteList, scope=Scope.CALL)
async def remote_list(session: Session, payload: RemoteList) -> Reply:
    """List the user's remotes, as many as fit one frame; from now on tell of changes."""
    nodes.subscribe(session, registry.topic(session.user_id))
    page: list[msgspec.Raw] = []
    room = limits.frame_out - PAGE_MARGIN
    after = checked_name(payload.after, "after") if payload.after else ""
    for connection in registry.of_user(session.user_id):
        if connection.name > after:
            entry = _encoded(connection, session)
            room -= len(entry) + 1
            if room < 0 and page:
                return {"remotes": page, "more": True}
            page.append(msgspec.Raw(entry))
    return {"remotes": page, "more": False}


def _encoded(connection: RemoteConnection, session: Session) -> bytes:
    return msgspec.json.encode(
        {
            "remotename": connection.name,
            "title": connection.title,
            "description": connection.description,
            "functions": [function.wire for function in connection.functions.values()],
            "client": connection.client,
            "connectedAt": connection.connected_at,
            "session": connection.session.id,
            "own": connection.session is session,
        }
    )


# Calling

_made: dict[tuple[str, str], Call] = {}
"""The calls that clients made and that have not ended, by session and the caller's requestId."""


@action("remote-call", RemoteCall, scope=Scope.CALL, reply="remote-call-result")
async def remote_call(session: Session, payload: RemoteCall) -> Reply:
    """Call a function of one of the user's remotes; the reply is the call's one outcome."""
    request_id = payload.requestId or new_call_id()
    key = (session.id, request_id)
    if key in _made:
        message = "A call with this requestId is still pending."
        raise InvalidPayloadError(message, detail("requestId", message))
    args = _object(payload.args)
    remotename = checked_name(payload.remotename, "remotename")
    function = checked_name(payload.function, "function")
    outside = OutsideCall(session, request_id, remotename, function, args)
    call = Call(
        session.user_id,
        remotename,
        function,
        args,
        timeout=payload.timeout,
        watcher=Watcher(outside.id, None, outside.changed),
    )
    _made[key] = call
    try:
        result = await call.outcome()
    except ActionError as error:
        outside.failed(error)
        reply: dict[str, object] = {"requestId": request_id, "error": error.message}
        reply["code"] = error.code
        if error.details:
            reply["details"] = error.details
        return reply
    except asyncio.CancelledError:
        outside.failed(CancelledCallError(function))
        raise
    finally:
        del _made[key]
    outside.succeeded(result)
    return {"requestId": request_id, "result": msgspec.Raw(result.encode())}


def _object(text: msgspec.Raw) -> str:
    """The JSON text of an object, ``{}`` for null."""
    start = bytes(text).lstrip()[:1]
    if start == b"n":
        return "{}"
    if start != b"{":
        message = "args must be an object."
        raise InvalidPayloadError(message, detail("args", message))
    return bytes(text).decode()


class OutsideCall:
    """A client's own call, shown to its user's pages where a person must approve it."""

    def __init__(
        self, session: Session, request_id: str, remotename: str, function: str, args: str
    ) -> None:
        self.id = new_call_id()
        self._session = session
        self._request_id = request_id
        self._names = (remotename, function)
        self._args = args
        self._shown = False

    def changed(self, change: Change) -> None:
        """Pass progress on to the caller, and every change to the pages that know the call."""
        self._args = change.args
        if change.progress is not None:
            payload = {"requestId": self._request_id, **change.progress}
            self._session.post("remote-call-progress", payload)
        if self._shown:
            self._show("call-updated", status=change.status, progress=change.progress)
        elif change.status == "awaiting-approval":
            self._shown = True
            self._show("call-created", status=change.status)

    def succeeded(self, result: str) -> None:
        """Show the result to the pages that know the call."""
        if self._shown:
            self._show("call-updated", status="done", result=result)

    def failed(self, error: ActionError) -> None:
        """Show the failure to the pages that know the call."""
        if self._shown:
            status = "denied" if error.code == "denied" else "error"
            self._show("call-updated", status=status, error=error.message, code=error.code)

    def _show(self, event: str, **state: Any) -> None:
        remotename, function = self._names
        call = call_object(self.id, remotename, function, self._args, **state)
        nodes.publish(
            nodes.user_topic(self._session.user_id),
            event,
            {"message": None, "call": call},
            to=_is_page,
        )


def _is_page(session: Session) -> bool:
    return session.identity.kind == "cookie"


def _greet(session: Session) -> None:
    if _is_page(session):
        session.spawn(_show_waiting_calls(session))


async def _show_waiting_calls(session: Session) -> None:
    """Tell a page that has just opened which calls outside a thread wait for approval."""
    for waiting in list(approvals.outside_threads(session.user_id)):
        await session.room()
        if not waiting.answer.done():
            call = call_object(
                waiting.call_id,
                waiting.remotename,
                waiting.function.name,
                waiting.args,
                status="awaiting-approval",
            )
            session.post("call-created", {"message": None, "call": call})


consumers.on_welcome(_greet)


@action(
    "remote-call-cancel",
    RemoteCallCancel,
    scope=Scope.CALL,
    exempt=lambda session, payload: (session.id, payload.requestId) in _made,
)
async def remote_call_cancel(session: Session, payload: RemoteCallCancel) -> Reply:
    """Cancel a call that this socket made; its result is then an error.

    In a task, as the call is, so that it comes after a call that was sent just before it.
    """
    call = _made.get((session.id, payload.requestId))
    if call is not None:
        call.cancel()
    return {"requestId": payload.requestId}


# Answering


def _answers_pending(session: Session, payload: Any) -> bool:
    return pending_of(session, payload.requestId) is not None


@inline_action("remote-call-result", RemoteCallResult, scope=Scope.SERVE, exempt=_answers_pending)
def remote_call_result(session: Session, payload: RemoteCallResult) -> Reply:
    """Take an owner's answer; one that nobody waits for has no effect."""
    pending = pending_of(session, payload.requestId)
    if pending is not None:
        text = _error_text(payload.error)
        if text is None:
            pending.succeed(bytes(payload.result).decode())
        else:
            pending.fail(RemoteError(text))
    return None


def _error_text(error: object) -> str | None:
    """An owner's ``error`` as text; None where it does not count as one."""
    if isinstance(error, str):
        return beginning(error, limits.error) if error.strip() else None
    if error is None or error is False or error in ({}, []):
        return None
    return beginning(msgspec.json.encode(error).decode(), limits.error)


@inline_action(
    "remote-call-progress", RemoteCallProgress, scope=Scope.SERVE, exempt=_answers_pending
)
def remote_call_progress(session: Session, payload: RemoteCallProgress) -> Reply:
    """Pass an owner's progress on to the caller, and give the call more time."""
    pending = pending_of(session, payload.requestId)
    if pending is not None:
        pending.progressed(
            {
                "progress": payload.progress,
                "total": payload.total,
                "message": payload.message and payload.message[: limits.progress],
            }
        )
    return None


_REQUEST_ID = re.compile(r'"requestId"\s*:\s*"([A-Za-z0-9_-]{1,64})"')


def _fail_unreadable_answer(session: Session, data: str | bytes, error: ActionError) -> bool:
    """End the call whose answer could not be read, if its requestId can be made out."""
    if not isinstance(error, InvalidJsonError | TooLargeError):
        return False
    text = data.decode(errors="replace") if isinstance(data, bytes) else data
    if '"remote-call-result"' not in text:
        return False
    for match in _REQUEST_ID.finditer(text):
        pending = pending_of(session, match[1])
        if pending is not None:
            told = f"{pending.function} ran, but its answer could not be read. {error.message}"
            pending.fail(type(error)(told))
            return True
    return False


consumers.on_unreadable(_fail_unreadable_answer)
