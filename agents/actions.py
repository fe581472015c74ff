"""The actions of a conversation: opening threads, sending messages, stopping and approving."""

from functools import partial
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from agents import catalog, runs, sending
from chat import services, topics, turns, wire
from chat.actions import checked_remotes
from chat.models import KEY_LENGTH, Message, Run
from chat.services import Page
from chat.snapshots import steady, tell_changed
from gateway.actions import Empty, Reply, Scope, action
from gateway.database import in_database
from gateway.exceptions import ForbiddenScopeError, InvalidPayloadError
from gateway.frames import detail
from gateway.limits import KIB, limits
from gateway.sessions import Session
from gateway.texts import beginning
from gateway.wire import call_object
from remotes import approvals
from remotes.exceptions import CallNotFoundError

ENVELOPE = 4 * KIB  # bytes of a frame that a page leaves to what surrounds it
PART = 256 * KIB  # bytes of one part of a call's text

Key = Annotated[str, Meta(min_length=1, max_length=KEY_LENGTH)]


class ThreadOpen(msgspec.Struct):
    """The payload of ``thread-open``."""

    thread: str
    before: str | None = None


class ThreadClose(msgspec.Struct):
    """The payload of ``thread-close``."""

    thread: str


class ThreadDelete(msgspec.Struct):
    """The payload of ``thread-delete``."""

    thread: str


class NamedRemote(msgspec.Struct):
    """A resource that switches a remote on."""

    kind: Literal["system"]
    subkind: Literal["remote"]
    content: str


class MessageSend(msgspec.Struct):
    """The payload of ``message-send``."""

    thread: str
    content: str
    resources: list[NamedRemote] | None = None
    key: Key | None = None


class MessageEdit(msgspec.Struct):
    """The payload of ``message-edit``."""

    message: str
    content: str
    key: Key | None = None


class MessageRegenerate(msgspec.Struct):
    """The payload of ``message-regenerate``."""

    message: str
    key: Key | None = None


class MessageSelect(msgspec.Struct):
    """The payload of ``message-select``."""

    message: str


class RunStop(msgspec.Struct):
    """The payload of ``run-stop``."""

    thread: str


class CallApprove(msgspec.Struct):
    """The payload of ``call-approve``; ``args`` replace the model's."""

    call: str
    args: msgspec.Raw = msgspec.Raw(b"null")
    remember: Literal["thread", "always"] | None = None


class CallDeny(msgspec.Struct):
    """The payload of ``call-deny``."""

    call: str
    reason: str | None = None


class CallRead(msgspec.Struct):
    """The payload of ``call-read``; ``offset`` in code points."""

    call: str
    part: Literal["args", "result", "error"]
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0


# Models


@action("model-list", Empty, scope=Scope.CHAT)
async def model_list(session: Session, payload: Empty) -> Reply:
    """The models that a thread may choose, and what keeps others away."""
    offer = await catalog.offer()
    models = [
        {
            "id": model.id,
            "name": model.name,
            "endpoint": model.endpoint.title,
            "default": model == offer.default,
        }
        for model in offer.models
    ]
    return {"models": models, "errors": offer.faults}


# Threads


@action("thread-open", ThreadOpen, scope=Scope.CHAT, ordered=True)
async def thread_open(session: Session, payload: ThreadOpen) -> Reply:
    """Show a thread as it is now, live text included, and let the socket hear what follows.

    Nothing is awaited between the subscription and the reply, so that what is told later comes
    after it and builds on it.
    """
    user_id, thread = session.user_id, payload.thread
    page = await steady(thread, services.open_page, user_id, thread, payload.before)
    topics.subscribe(session, payload.thread)
    return _snapshot(page)


def _snapshot(page: Page) -> Reply:
    run = page.run
    live = runs.of_thread(page.thread.pk)
    if live is not None:
        run = live.run
        if run.message_id in page.messages:
            page.messages[run.message_id] = wire.encoded(live.answer.object())
    resources = page.thread.resources.all()
    told: wire.Object = {
        "thread": wire.thread(page.thread, resources),
        "resources": [wire.resource(each) for each in resources],
        "run": run and wire.run(run),
    }
    room = limits.frame_out - ENVELOPE - len(memoryview(wire.encoded(told)))
    newest_first = list(page.messages.values())[::-1]
    kept = wire.fitting(newest_first, room)
    told["messages"] = kept[::-1]
    told["more"] = page.more or len(kept) < len(newest_first)
    return told


@action("thread-close", ThreadClose, scope=Scope.CHAT, ordered=True)
async def thread_close(session: Session, payload: ThreadClose) -> Reply:
    """Let the socket hear the thread's events no longer."""
    topics.unsubscribe(session, payload.thread)
    await in_database(services.thread_of, session.user_id, payload.thread)
    return {"thread": payload.thread}


@action("thread-delete", ThreadDelete, scope=Scope.CHAT, ordered=True)
async def thread_delete(session: Session, payload: ThreadDelete) -> Reply:
    """Delete a thread for good; what runs in it is stopped first."""
    await in_database(services.thread_of, session.user_id, payload.thread)
    return await runs.lasting(_delete(session.user_id, payload.thread))


async def _delete(user_id: int, thread: str) -> Reply:
    await runs.stop(thread)
    await in_database(services.delete_thread, user_id, thread)
    return {"thread": thread}


# Messages and runs


@action("message-send", MessageSend, scope=Scope.CHAT, ordered=True)
async def message_send(session: Session, payload: MessageSend) -> Reply:
    """Add a message to a thread and have the agent answer it.

    While the agent answers in the thread, a second message is refused as ``busy``: nothing of it
    is stored, and its sender keeps it.
    """
    sending.check_content(payload.content)
    remotes: list[str] | None = None
    if payload.resources is not None:
        names = [each.content for each in payload.resources]
        remotes = checked_remotes(names, "resources.{}.content")
    begin = partial(turns.begin, session.user_id, payload.thread, payload.content, remotes)
    turn = await sending.begun(session, payload.thread, payload.key, begin)
    return sending.asked(turn)


@action("message-edit", MessageEdit, scope=Scope.CHAT, ordered=True)
async def message_edit(session: Session, payload: MessageEdit) -> Reply:
    """Write a user's message anew, in a branch beside the old one, and have the agent answer it."""
    sending.check_content(payload.content)
    old = await sending.message_of(session, payload.message, Message.Role.USER)
    edit = partial(turns.edit, session.user_id, old, payload.content)
    turn = await sending.begun(session, old.thread_id, payload.key, edit)
    return sending.asked(turn)


@action("message-regenerate", MessageRegenerate, scope=Scope.CHAT, ordered=True)
async def message_regenerate(session: Session, payload: MessageRegenerate) -> Reply:
    """Have the agent answer once more, in a branch beside its old answer."""
    old = await sending.message_of(session, payload.message, Message.Role.ASSISTANT)
    regenerate = partial(turns.regenerate, session.user_id, old)
    turn = await sending.begun(session, old.thread_id, payload.key, regenerate)
    return await sending.answered(turn)


@action("message-select", MessageSelect, scope=Scope.CHAT, ordered=True)
async def message_select(session: Session, payload: MessageSelect) -> Reply:
    """Show the branch that leads through a message."""
    message = await in_database(services.message_of, session.user_id, payload.message)
    return await runs.lasting(_select(session.user_id, message))


async def _select(user_id: int, message: Message) -> Reply:
    if runs.of_thread(message.thread_id) is not None:
        raise turns.busy()
    await in_database(turns.select, user_id, message)
    await tell_changed(user_id, message.thread_id)
    return {"message": await in_database(services.message_object, message)}


@action("run-stop", RunStop, scope=Scope.CHAT, ordered=True)
async def run_stop(session: Session, payload: RunStop) -> Reply:
    """Stop what runs in a thread; its text so far is kept."""
    run: Run | None = None
    live = runs.of_thread(payload.thread)
    if live is not None and live.user_id == session.user_id:
        run = await runs.stop(payload.thread)
    else:
        await in_database(services.thread_of, session.user_id, payload.thread)
    return {"run": run and wire.run(run)}


# Calls


@action("call-approve", CallApprove)
async def call_approve(session: Session, payload: CallApprove) -> Reply:
    """Let a waiting call be sent, as the page's user wants it."""
    _check_is_page(session)
    waiting = approvals.find(session.user_id, payload.call)
    args = _changed_args(payload.args)
    await approvals.approve(session.user_id, payload.call, args, payload.remember)
    return {"call": _settled(waiting, args or waiting.args, "running")}


@action("call-deny", CallDeny)
async def call_deny(session: Session, payload: CallDeny) -> Reply:
    """Refuse a waiting call; the agent is told why."""
    _check_is_page(session)
    waiting = approvals.find(session.user_id, payload.call)
    approvals.deny(session.user_id, payload.call, payload.reason)
    return {"call": _settled(waiting, waiting.args, "denied")}


@action("call-read", CallRead, scope=Scope.CHAT)
async def call_read(session: Session, payload: CallRead) -> Reply:
    """A part of a call's arguments, result or error, as text."""
    text = _live_text(session.user_id, payload)
    if text is None:
        text = await in_database(
            services.call_text,
            session.user_id,
            payload.call,
            payload.part,
            payload.offset,
            PART + 1,
        )
    if text is None:
        raise CallNotFoundError("There is no such call.")
    part = beginning(text, PART)
    return {"text": part, "more": len(part) < len(text)}


def _live_text(user_id: int, payload: CallRead) -> str | None:
    """The text asked for, from its offset, of a call that is not stored yet or never will be."""
    call = runs.find_call(user_id, payload.call)
    if call is not None:
        whole: str = getattr(call, payload.part)
        return whole[payload.offset :]
    for waiting in approvals.outside_threads(user_id):
        if waiting.call_id == payload.call:
            return waiting.args[payload.offset :] if payload.part == "args" else ""
    return None


def _check_is_page(session: Session) -> None:
    if session.identity.kind != "cookie":
        raise ForbiddenScopeError("Only a person on the page may approve or deny a call.")


def _changed_args(args: msgspec.Raw) -> str | None:
    text = bytes(args).decode().strip()
    if text == "null":
        return None
    if not text.startswith("{"):
        message = "args must be an object."
        raise InvalidPayloadError(message, detail("args", message))
    return text


def _settled(
    waiting: approvals.WaitingCall, args: str, status: Literal["running", "denied"]
) -> wire.Object:
    call = runs.find_call(waiting.user_id, waiting.call_id)
    return call_object(
        waiting.call_id,
        waiting.remotename,
        waiting.function.name,
        args,
        status=status,
        offset=call.offset if call else 0,
    )
