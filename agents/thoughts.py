"""Where a model's thinking ends and its answer begins, however its server tells them apart.

Servers put thoughts into a field of their own, into typed parts of the content, or, where nobody
took them out, into ``<think>`` tags at the beginning of the text.
"""

from typing import cast

OPEN, CLOSE = "<think>", "</think>"
THINKING = ("thinking", "reasoning")
"""The types of those parts of a content that are no part of the answer."""


class ThinkTags:
    """Takes the thoughts out of an answer that begins with ``<think>``.

    The same tag further on is the answer's own, and stays.
    """

    def __init__(self) -> None:
        self._held = ""
        self._take = self._before

    def take(self, text: str) -> tuple[str, str]:
        """What ``text`` adds to the thoughts and to the answer; half a tag is waited for."""
        held, self._held = self._held + text, ""
        return self._take(held)

    def close(self) -> tuple[str, str]:
        """What was waited for in vain."""
        rest, self._held = self._held, ""
        return (rest, "") if self._take == self._inside else ("", rest)

    def _before(self, text: str) -> tuple[str, str]:
        start = text.lstrip()
        if start.startswith(OPEN):
            self._take = self._inside
            return self._inside(start[len(OPEN) :])
        if OPEN.startswith(start):
            self._held = text
            return "", ""
        self._take = self._after
        return "", text

    def _inside(self, text: str) -> tuple[str, str]:
        thought, tag, rest = text.partition(CLOSE)
        if tag:
            self._take = self._between
            return thought, self._between(rest)[1]
        self._held = _half_tag(text)
        return text[: len(text) - len(self._held)], ""

    def _between(self, text: str) -> tuple[str, str]:
        text = text.lstrip()
        if text:
            self._take = self._after
        return "", text

    def _after(self, text: str) -> tuple[str, str]:
        return "", text


def parts(content: object) -> tuple[str, str]:
    """The thoughts and the answer in a content, which is a text or a list of typed parts."""
    if isinstance(content, str):
        return "", content
    thought = said = ""
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            said += part if isinstance(part, str) else ""
        elif part.get("type") in THINKING:
            thought += _text_of(part, *THINKING)
        else:
            said += _text_of(part, "refusal")
    return thought, said


def _text_of(part: dict[str, object], *keys: str) -> str:
    """The text of a part, which may lie in parts of its own."""
    for key in ("text", *keys):
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            inner = cast("list[object]", value)
            return "".join(_text_of(each, *keys) for each in inner if isinstance(each, dict))
    return ""


def _half_tag(text: str) -> str:
    """The end of ``text`` that may be the beginning of the closing tag."""
    for length in range(min(len(CLOSE) - 1, len(text)), 0, -1):
        if CLOSE.startswith(text[-length:]):
            return text[-length:]
    return ""
