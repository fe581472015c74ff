"""Which text the database and every client can hold, and how much of it one frame carries."""

import re
import unicodedata

import msgspec

REPLACEMENT = "\ufffd"
LONGEST_CHARACTER = 32
"""Code points of what people see as one character; what is longer is none of any script."""

_JOINER = "\u200d"
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


def clipped(text: str, length: int) -> str:
    """At most ``length`` code points of ``text`` from its start, no character cut in two.

    A character that people see may be many code points: letters with marks, emoji that are joined
    or coloured, flags.
    """
    if len(text) <= length:
        return text
    end = length
    while end > max(0, length - LONGEST_CHARACTER) and _joined(text, end):
        end -= 1
    return text[: end if not _joined(text, end) else length]


def _joined(text: str, place: int) -> bool:
    """Whether what stands before and after ``place`` belongs to one character."""
    if place in (0, len(text)):
        return False
    before, after = text[place - 1], text[place]
    if _JOINER in (before, after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    return _is_flag(before) and _is_flag(after) and _flags_before(text, place) % 2 == 1


def _is_flag(character: str) -> bool:
    """Whether it is one of the letters that make a flag in pairs."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, place: int) -> int:
    start = place
    while start and _is_flag(text[start - 1]):
        start -= 1
    return place - start
