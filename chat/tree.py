"""Which of a thread's messages follow which."""

from collections import defaultdict

from chat.models import Message


class Tree:
    """The ids of a thread's messages, as they are now.

    Args:
        thread: The thread's id.
    """

    def __init__(self, thread: str) -> None:
        self._parents: dict[str, str | None] = dict(
            Message.objects.filter(thread=thread).values_list("pk", "parent_id")
        )
        self._children: defaultdict[str | None, list[str]] = defaultdict(list)
        for message, parent in self._parents.items():
            self._children[parent].append(message)

    def branch(self, leaf: str | None) -> list[str]:
        """The messages that lead to ``leaf``, oldest first."""
        found: list[str] = []
        while leaf is not None:
            found.append(leaf)
            leaf = self._parents[leaf]
        return found[::-1]

    def siblings(self, message: str) -> list[str]:
        """The messages with the same parent, oldest first."""
        return self._children[self._parents[message]]

    def leaves(self, message: str) -> list[str]:
        """The last messages of all branches that lead through ``message``."""
        found: list[str] = []
        below = [message]
        while below:
            each = below.pop()
            children = self._children.get(each)
            if children:
                below += children
            else:
                found.append(each)
        return found
