"""Images in what functions return: taken out of the text that a model reads.

A function returns an image as a ``data:`` URL or as ``{"type": "image", "mimeType", "data"}``, as
the Model Context Protocol has it: alone, in a list, or in an object's field or a list there. The
page shows those. Base64 is never read by a model as text, wherever it stands.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gateway.limits import KIB

KNOWN = {
    "image/gif": (b"GIF8",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/webp": (b"RIFF",),
}
"""The types that the page shows and models take, and how their bytes begin."""

_TRACES = ("base64,", '"data"', '"blob"')
_DATA_URL = re.compile(
    r"data:([a-z]+/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,([A-Za-z0-9+/_=-]*)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Image:
    """An image that a model can be given."""

    type: str
    data: str
    """Base64."""

    @property
    def part(self) -> dict[str, object]:
        """It as a part of a message."""
        url = f"data:{self.type};base64,{self.data}"
        return {"type": "image_url", "image_url": {"url": url}}


def taken_out(text: str) -> tuple[str, list[Image]]:
    """``text``, JSON of a result or words, with notes in place of files; and the images of these.

    An image that is no such, or stands where the page does not look for it, is only noted.
    """
    if not any(trace in text for trace in _TRACES):
        return text, []
    try:
        value = json.loads(text)
    except ValueError:
        return _DATA_URL.sub(_left_out, text), []
    shown = {id(part): image for part in _places(value) if (image := _image(part)) is not None}
    noted = json.dumps(_noted(value, shown), ensure_ascii=False)
    return noted, list(shown.values())


def _places(value: Any) -> Iterator[Any]:
    """Where in a result an image is looked for."""
    if isinstance(value, list):
        yield from value
        return
    yield value
    for field in value.values() if isinstance(value, dict) else ():
        yield from field if isinstance(field, list) else [field]


def _image(part: Any) -> Image | None:
    if isinstance(part, str) and (match := _DATA_URL.fullmatch(part)):
        return _readable(match[1].lower(), match[2])
    if isinstance(part, dict) and part.get("type") == "image":
        return _readable(part.get("mimeType"), part.get("data"))
    return None


def _readable(type: object, data: object) -> Image | None:
    if not isinstance(data, str) or not isinstance(type, str) or type not in KNOWN:
        return None
    try:
        begins = base64.b64decode(data, validate=True)[:16]
    except binascii.Error:
        return None
    return Image(type, data) if begins.startswith(KNOWN[type]) else None


def _noted(value: Any, shown: dict[int, Image]) -> Any:
    if id(value) in shown:
        image = shown[id(value)]
        return _note(image.type, image.data, "shown to the user")
    if isinstance(value, str):
        return _DATA_URL.sub(_left_out, value)
    if isinstance(value, list):
        return [_noted(one, shown) for one in value]
    if isinstance(value, dict):
        type = value.get("mimeType")
        return {
            key: _note(type, one, "left out") if _is_file(value, key) else _noted(one, shown)
            for key, one in value.items()
        }
    return value


def _is_file(holder: dict[str, Any], key: str) -> bool:
    """Whether ``holder`` is a file as MCP has it, and ``key`` where its bytes are."""
    is_media = key == "data" and holder.get("type") in ("audio", "image")
    return isinstance(holder.get(key), str) and (is_media or (key == "blob" and "uri" in holder))


def _left_out(match: re.Match[str]) -> str:
    return _note(match[1], match[2], "left out")


def _note(type: object, data: str, fate: str) -> str:
    size = len(data) * 3 // 4
    told = f"{size} bytes" if size < KIB else f"{-(-size // KIB)} KiB"
    return f"[{type or 'file'}, {told}, {fate}]"
