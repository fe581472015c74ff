"""Which text the database and every client can hold, and how much of it one frame carries."""

import re

import msgspec

REPLACEMENT = "\ufffd"

_ESCAPED_NUL = re.compile(r"(\\\\)|\\u0000")


def storable(text: str) -> str:
    """``text`` with U+FFFD in place of NUL and of halves of surrogate pairs.

    PostgreSQL takes neither, and what one socket was sent live must be what is read back later.
    """
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", REPLACEMENT)


def storable_json(text: str) -> str:
    """The same for JSON text, where a NUL may also be escaped."""
    return _ESCAPED_NUL.sub(lambda match: match[1] or REPLACEMENT, storable(text))


def encoded_size(text: str) -> int:
    """The bytes that ``text`` takes as a JSON string, without its quotes."""
    return len(msgspec.json.encode(text)) - 2


def beginning(text: str, size: int) -> str:
    """As much of ``text`` from its start as takes at most ``size`` bytes as a JSON string."""
    text = text[:size]
    while (taken := encoded_size(text)) > size:
        text = text[: len(text) * size // taken]
    return text
