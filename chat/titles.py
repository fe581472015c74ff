"""How threads come to their titles."""

from gateway.texts import storable

WIDTH = 60  # code points of a title that is made from a message
ELLIPSIS = " …"


def plain_title(title: str) -> str:
    """``title`` on one line."""
    return " ".join(storable(title).split())


def title_of(content: str) -> str:
    """A title for a thread that begins with ``content``: its first words."""
    words = plain_title(content[: 4 * WIDTH])
    if len(words) <= WIDTH:
        return words
    kept = words[: WIDTH - len(ELLIPSIS)]
    return (kept.rpartition(" ")[0] or kept) + ELLIPSIS
