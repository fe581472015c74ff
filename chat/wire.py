"""What a client is sent of threads, messages, calls, runs and resources: the protocol's objects.

Optional keys are left out where there is nothing to say. Times are encoded as RFC 3339 in UTC.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import msgspec

from chat.models import Call, Message, Resource, Run, Thread
from gateway.limits import KIB, limits
from gateway.wire import CallStatus, call_object

Object = dict[str, object]

CALLS_ROOM = 384 * KIB
"""Bytes that the arguments, results and errors of one message's calls take together at most."""


def thread(row: Thread, resources: Iterable[Resource]) -> Object:
    """A thread with the names of its remotes, each once and in their order."""
    return {
        "id": row.pk,
        "title": row.title,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "remotes": remote_names(resources),
        "model": row.model or None,
    }


def remote_names(resources: Iterable[Resource]) -> list[str]:
    """The remotes that these resources make available, each once."""
    wanted = (Resource.Kind.SYSTEM, Resource.Subkind.REMOTE)
    found = (each.content for each in resources if (each.kind, each.subkind) == wanted)
    return list(dict.fromkeys(found))


def resource(row: Resource) -> Object:
    """A resource of a thread."""
    return {"id": row.pk, "kind": row.kind, "subkind": row.subkind, "content": row.content}


def run(row: Run) -> Object:
    """A run; ``thread`` and ``message`` are ids."""
    told: Object = {
        "id": row.pk,
        "thread": row.thread_id,
        "message": row.message_id,
        "status": row.status,
    }
    if row.error:
        told["error"] = row.error
    return told


def message(
    row: Message,
    calls: Sequence[Call],
    siblings: Sequence[str],
    progress: Mapping[str, Object] | None = None,
) -> Object:
    """A message with its calls; ``thread`` and ``parent`` are ids.

    Args:
        siblings: Ids of the messages with the same parent, itself included, oldest first.
        progress: What calls under way last said, by their ids.
    """
    told: Object = {
        "id": row.pk,
        "thread": row.thread_id,
        "parent": row.parent_id,
        "siblings": siblings,
        "role": row.role,
        "content": row.content,
        "status": row.status,
    }
    optional: Object = {
        "reasoning": row.reasoning,
        "error": row.error,
        "model": row.model,
        "usage": row.usage,
        "historyFrom": row.history_from,
    }
    told.update({name: value for name, value in optional.items() if value})
    room = min(limits.preview, CALLS_ROOM // (3 * max(len(calls), 1)))
    told["calls"] = [call(each, (progress or {}).get(each.pk), room) for each in calls]
    told["createdAt"] = row.created_at
    return told


def call(row: Call, progress: Object | None = None, room: int | None = None) -> Object:
    """A call; ``room`` is how many bytes each of its texts may take."""
    return call_object(
        row.pk,
        row.remotename,
        row.function,
        row.args,
        status=cast("CallStatus", row.status),
        result=row.result or None,
        error=row.error or None,
        code=row.code or None,
        duration=row.duration,
        offset=row.offset,
        progress=progress,
        room=room,
    )


def encoded(told: Object) -> msgspec.Raw:
    """An object as the JSON that a frame will carry; its length tells what it takes."""
    return msgspec.Raw(msgspec.json.encode(told))


def fitting(objects: Sequence[msgspec.Raw], room: int) -> list[msgspec.Raw]:
    """As many of ``objects`` from the start as take ``room`` bytes, but at least the first."""
    kept: list[msgspec.Raw] = []
    for each in objects:
        room -= len(memoryview(each)) + 1
        if room < 0 and kept:
            break
        kept.append(each)
    return kept
