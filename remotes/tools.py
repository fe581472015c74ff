"""A remote's function as a tool of the agent."""

import hashlib
import re
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from remotes.calls import Call, Watcher
from remotes.functions import RemoteFunction

NAME_LIMIT = 64
"""Characters that OpenAI's API takes in a tool's name."""
HASHED = 8
"""Characters of the hash that keeps names apart which had to be changed."""
DESCRIPTION_LIMIT = 1024
"""Characters that OpenAI's API takes in a tool's description."""

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]+")


def tool_name(remotename: str, function: str) -> str:
    """The name under which the model knows a function: ``remote__function``.

    It fits ``^[a-zA-Z0-9_-]{1,64}$`` and depends on these two names alone. Where they could not
    stand as they are, or could be split in two ways, a hash of both keeps it apart from others.
    """
    plain = f"{remotename}__{function}"
    cleaned = _FOREIGN.sub("_", plain)
    if cleaned == plain and len(plain) <= NAME_LIMIT and _splits_one_way(remotename, function):
        return plain
    digest = hashlib.sha256(f"{remotename}\0{function}".encode()).hexdigest()[:HASHED]
    return f"{cleaned[: NAME_LIMIT - HASHED - 1]}_{digest}"


def _splits_one_way(remotename: str, function: str) -> bool:
    looks_hashed = re.search(r"_[0-9a-f]{8}$", function) is not None
    joint = f"{remotename}__{function}"
    return joint.count("__") == 1 and "___" not in joint and not looks_hashed


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
        """What the model reads: the function's own words and its real name."""
        origin = f"({self.function.name} on {self.remotename})"
        room = DESCRIPTION_LIMIT - len(origin) - 1
        return f"{self.function.description[:room]} {origin}".strip()

    def to_openai_dict(self) -> dict[str, Any]:
        """The entry of a Chat Completions request's ``tools``."""
        parameters = {"properties": {}, **self.function.parameters}
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": parameters,
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
