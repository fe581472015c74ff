"""Which endpoints the settings name: one by ``OPENAI_*``, or several by ``REMOTES_MODELS``.

They are read anew for each use, so that a changed file counts at once. What they mean, with
examples, is told in ``docs/models.md``.
"""

import os
import re
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import httpx2
import msgspec
from django.conf import settings
from msgspec import Meta

from agents import demo
from agents.endpoints import (
    LEAST_WINDOW,
    OPENAI_ADDRESS,
    SILENCE,
    Endpoint,
    ModelError,
    ModelRule,
)

ENDPOINT_NAME = re.compile("[A-Za-z0-9._-]{1,64}")
Window = Annotated[int, Meta(ge=LEAST_WINDOW)]


@dataclass(frozen=True, slots=True)
class Configuration:
    """The endpoints that there are; none: the demo model alone."""

    endpoints: tuple[Endpoint, ...] = ()
    default: str = ""
    """The model that answers unless a thread chooses another; empty: the first there is."""


class ModelEntry(msgspec.Struct, forbid_unknown_fields=True):
    """What the file says of the models whose names match a pattern."""

    window: Window | None = None
    images: bool | None = None
    reasoning_back: bool | None = None


class EndpointEntry(msgspec.Struct, forbid_unknown_fields=True):
    """What the file says of one endpoint."""

    base_url: str = OPENAI_ADDRESS
    api_key: str = ""
    api_key_env: str = ""
    timeout: Annotated[float, Meta(gt=0, le=3600)] = SILENCE
    lists: bool = msgspec.field(default=True, name="list")
    models: dict[str, ModelEntry] = {}


class File(msgspec.Struct, forbid_unknown_fields=True):
    """The whole of it; endpoints are read one by one, so that a fault names its own."""

    endpoints: dict[str, object]
    default: str = ""


def read() -> Configuration:
    """What the settings say.

    Raises:
        ModelError: It cannot be; the text says which setting to change.
    """
    if several := setting("REMOTES_MODELS"):
        return _from_file(_text_of(several))
    return _from_variables()


def setting(name: str) -> str:
    """What the environment says under ``name``, without blanks around it."""
    return os.environ.get(name, "").strip()


# One endpoint


def _from_variables() -> Configuration:
    key, base_url = setting("OPENAI_API_KEY"), setting("OPENAI_BASE_URL")
    if not key and not base_url:
        return Configuration()
    name = setting("OPENAI_MODEL")
    endpoint = Endpoint(
        base_url or OPENAI_ADDRESS,
        key,
        silence=_silence(),
        rules=tuple(_rules()),
        names=(name,) if name else (),
    )
    _check(endpoint)
    return Configuration((endpoint,), name)


def _rules() -> list[ModelRule]:
    thinking = setting("REMOTES_RETURN_REASONING").split()
    seeing = setting("REMOTES_IMAGE_MODELS").split()
    return [
        *(ModelRule(pattern, reasoning_back=True) for pattern in thinking),
        *(ModelRule(pattern, images=True) for pattern in seeing),
        ModelRule("*", window=_window()),
    ]


def _window() -> int | None:
    text = setting("REMOTES_MODEL_WINDOW")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal()) or int(text) < LEAST_WINDOW:
        raise ModelError(f"REMOTES_MODEL_WINDOW is a number of tokens, at least {LEAST_WINDOW}.")
    return int(text)


def _silence() -> float:
    text = setting("REMOTES_MODEL_TIMEOUT") or str(SILENCE)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        raise ModelError("REMOTES_MODEL_TIMEOUT is no number of seconds.")
    return seconds


# Several


def _text_of(value: str) -> str:
    if value.startswith(("{", "[")) or "\n" in value or "=" in value:
        return value
    path = Path(settings.REMOTES_DATA_DIR, value).absolute()
    try:
        return path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise ModelError(
            f"The file that REMOTES_MODELS names, {path}, can't be read: {why}."
        ) from error


def _from_file(text: str) -> Configuration:
    try:
        is_json = text.lstrip().startswith("{")
        decode = msgspec.json.decode if is_json else msgspec.toml.decode
        file = decode(text, type=File)
    except (msgspec.MsgspecError, ValueError) as error:
        raise ModelError(f"REMOTES_MODELS can't be read: {error}.") from error
    endpoints = tuple(_endpoint(name, entry) for name, entry in file.endpoints.items())
    if not endpoints:
        raise ModelError("REMOTES_MODELS names no endpoint.")
    return Configuration(endpoints, file.default)


def _endpoint(name: str, value: object) -> Endpoint:
    if not ENDPOINT_NAME.fullmatch(name) or name == demo.NAME:
        raise ModelError(
            f"REMOTES_MODELS: {name!r} can't be an endpoint's name; use letters, digits and ._-."
        )
    try:
        entry = msgspec.convert(value, EndpointEntry)
    except msgspec.ValidationError as error:
        raise ModelError(f"REMOTES_MODELS, endpoint {name!r}: {error}.") from error
    rules = tuple(
        ModelRule(pattern, each.window, each.images, each.reasoning_back)
        for pattern, each in entry.models.items()
    )
    endpoint = Endpoint(
        entry.base_url.strip(),
        _key(name, entry),
        silence=entry.timeout,
        name=name,
        rules=rules,
        names=tuple(pattern for pattern in entry.models if not set(pattern) & set("*?[")),
        lists=entry.lists,
    )
    _check(endpoint)
    return endpoint


def _key(name: str, entry: EndpointEntry) -> str:
    if not entry.api_key_env:
        return entry.api_key.strip()
    if key := setting(entry.api_key_env):
        return key
    raise ModelError(
        f"The endpoint {name!r} in REMOTES_MODELS takes its key from {entry.api_key_env}, "
        "which is not set."
    )


# Both


def _check(endpoint: Endpoint) -> None:
    if not (endpoint.api_key.isascii() and endpoint.api_key.isprintable()):
        raise ModelError(f"{endpoint.key_setting} holds characters that no key has. Set it anew.")
    if not _is_address(endpoint.base_url):
        raise ModelError(
            f"{endpoint.address_setting} is no address of an API. "
            "It looks like http://127.0.0.1:11434/v1."
        )


def _is_address(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https") and httpx2.URL(url).host != ""
    except (ValueError, httpx2.InvalidURL):
        return False
