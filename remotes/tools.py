"""A remote's function as a tool of the agent."""

import base64
import hashlib
import re
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from gateway.limits import limits
from gateway.texts import clipped
from remotes.calls import Call, Watcher
from remotes.functions import RemoteFunction

NAME_LIMIT = 64
"""Characters that OpenAI's API takes in a tool's name."""
HASHED = 10
"""Characters of the hash that keeps names apart which had to be changed."""

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]+")
_LOOKS_HASHED = re.compile(rf"_[a-z2-7]{{{HASHED}}}$")


def tool_name(remotename: str, function: str) -> str:
    """The name under which the model knows a function: ``remote__function``.

    It fits ``^[a-zA-Z0-9_-]{1,64}$`` and depends on these two names alone. Where they could not
    stand as they are, or could be split in two ways, a hash of both keeps it apart from others.
    """
    plain = f"{remotename}__{function}"
    cleaned = _FOREIGN.sub("_", plain)
    if cleaned == plain and len(plain) <= NAME_LIMIT and _splits_one_way(plain):
        return plain
    digest = hashlib.sha256(f"{remotename}\0{function}".encode()).digest()
    hashed = base64.b32encode(digest).decode().lower()[:HASHED]
    return f"{cleaned[: NAME_LIMIT - HASHED - 1]}_{hashed}"


def _splits_one_way(plain: str) -> bool:
    joints = plain.count("__") == 1 and "___" not in plain
    return joints and _LOOKS_HASHED.search(plain) is None


@dataclass(frozen=True, slots=True)
class RemoteToolSpec:
    """One function of one user's remote, in the shape that the agent's loop takes."""

    user_id: int
    remotename: str
    function: RemoteFunction
    watcher: Watcher | None = None

    @property
    def name(self) -> str:
        """The model's name for it; see :func:`tool_name`."""
        return tool_name(self.remotename, self.function.name)

    @property
    def description(self) -> str:
        """What the model reads: the function's own words, cut where they are long, and its name."""
        origin = f"({self.function.name} on {self.remotename})"
        more = " ".join(text for text in (self.function.offer.rules, origin) if text)
        room = max(0, limits.description - len(more) - 1)
        return clipped(
            f"{clipped(self.function.description, room)} {more}".strip(), limits.description
        )

    def to_openai_dict(self) -> dict[str, Any]:
        """The entry of a Chat Completions request's ``tools``."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.function.offer.parameters,
            },
        }

    def watched(self, watcher: Watcher) -> "RemoteToolSpec":
        """The same tool, whose next call reports to ``watcher``."""
        return replace(self, watcher=watcher)

    async def execute_async(self, /, **args: object) -> str:
        """Have the remote run the function; returns the JSON text of its result.

        Raises:
            ActionError: As :meth:`remotes.calls.Call.outcome` says.
        """
        text = msgspec.json.encode(args).decode()
        call = Call(self.user_id, self.remotename, self.function.name, text, watcher=self.watcher)
        return await call.outcome()
