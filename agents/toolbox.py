"""Which functions a model is offered in a run, and whose they are."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from agents.calls import Tool
from gateway.limits import limits

_TOOL = re.compile(r"\btools(?:\[|\.)(\d+)")


class Toolbox:
    """The functions of a run.

    A request takes so many functions only (``limits.tools``). Of more, each remote has its share:
    the first ones that it declares, taken by turns in the order of the remotes.

    Attributes:
        offered: Those that the model may call, by its names for them.
        request: The ``tools`` of a request.
        remotes: The names of the remotes that have functions.
    """

    def __init__(self, tools: Sequence[Tool]) -> None:
        chosen = _chosen(tools, limits.tools)
        self.offered: Mapping[str, Tool] = {tool.name: tool for tool in chosen}
        self.request: list[dict[str, Any]] = [tool.to_openai_dict() for tool in chosen]
        self.remotes = {tool.remotename for tool in tools}
        left = Counter(tool.remotename for tool in tools)
        left.subtract(tool.remotename for tool in chosen)
        self._left_out = +left

    @property
    def remark(self) -> str | None:
        """What the person is told of functions that are left out, if there are any."""
        if not self._left_out:
            return None
        named = ", ".join(f"{count} of {remote}" for remote, count in self._left_out.items())
        return (
            f"The model was offered {limits.tools} functions, the most it takes; left out were "
            f"{named}. Switch off remotes that this chat does not need."
        )

    @property
    def left_out(self) -> Mapping[str, int]:
        """By the name of the remote: how many functions are left out."""
        return self._left_out

    def traced(self, refusal: str) -> str:
        """A sentence with which an endpoint's ``refusal`` of functions names them as people do."""
        names = {name for name in self.offered if re.search(rf"\b{re.escape(name)}\b", refusal)}
        order = list(self.offered)
        names |= {order[int(n)] for n in _TOOL.findall(refusal) if int(n) < len(order)}
        if not names:
            return ""
        guilty = ", ".join(_named(self.offered[name]) for name in order if name in names)
        return f" This is about {guilty}. Switch that remote off, or change the function."


def _chosen(tools: Sequence[Tool], most: int) -> list[Tool]:
    """At most ``most`` of ``tools``, in their order, as many of each remote as of the others."""
    turns: Counter[str] = Counter()
    ranked = []
    for place, tool in enumerate(tools):
        ranked.append((turns[tool.remotename], place))
        turns[tool.remotename] += 1
    return [tools[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def _named(tool: Tool) -> str:
    return f"the function {tool.function.name!r} of the remote {tool.remotename!r}"
