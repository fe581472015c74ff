"""Which models there are to ask, as the environment names them, and at which endpoint.

``OPENAI_API_KEY``, ``OPENAI_BASE_URL`` and ``OPENAI_MODEL`` are read anew for each run. Without key
and base URL there is the built-in demo model alone.
"""

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import inf
from urllib.parse import urlsplit

import httpx2

from agents import demo

OPENAI_ADDRESS = "https://api.openai.com/v1"
SILENCE = 120.0  # seconds without a sign of the model; REMOTES_MODEL_TIMEOUT sets another number


class ModelError(Exception):
    """The model gave no whole answer; the text is one or two sentences for the person."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where models are served."""

    base_url: str
    api_key: str
    silence: float = SILENCE
    """Seconds to wait for its next sign of life."""

    @property
    def address(self) -> str:
        """The base URL without what may be secret in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@dataclass(frozen=True, slots=True)
class Model:
    """A model at its endpoint."""

    name: str
    endpoint: Endpoint

    @property
    def wants_reasoning(self) -> bool:
        """Whether it is to get back, within a run, what it thought aloud beside its calls.

        Some servers insist on that and some refuse it: ``REMOTES_RETURN_REASONING`` holds the
        names of the models that want it, with ``*`` as in file names, separated by blanks.
        """
        patterns = os.environ.get("REMOTES_RETURN_REASONING", "").split()
        return any(fnmatchcase(self.name, pattern) for pattern in patterns)


DEMO = Endpoint("http://demo.invalid/v1", "needs-no-key")
"""Never looked up: the demo model answers within this process."""


def configured() -> Endpoint | None:
    """The endpoint that the environment names; None if it names none.

    Raises:
        ModelError: What it says of the endpoint cannot be.
    """
    key, base_url = setting("OPENAI_API_KEY"), setting("OPENAI_BASE_URL")
    if not key and not base_url:
        return None
    if not (key.isascii() and key.isprintable()):
        raise ModelError("OPENAI_API_KEY holds characters that no key has. Set it anew.")
    endpoint = Endpoint(base_url or OPENAI_ADDRESS, key, _silence())
    if not _is_address(endpoint.base_url):
        raise ModelError(
            "OPENAI_BASE_URL is no address of an API. It looks like http://127.0.0.1:11434/v1."
        )
    return endpoint


def default_name() -> str | None:
    """The model that answers unless a thread chooses another; None if the endpoint decides."""
    if setting("OPENAI_API_KEY") or setting("OPENAI_BASE_URL"):
        return setting("OPENAI_MODEL") or None
    return demo.NAME


def setting(name: str) -> str:
    """What the environment says under ``name``, without blanks around it."""
    return os.environ.get(name, "").strip()


def _silence() -> float:
    text = setting("REMOTES_MODEL_TIMEOUT") or str(SILENCE)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        raise ModelError("REMOTES_MODEL_TIMEOUT is no number of seconds.")
    return seconds


def _is_address(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https") and httpx2.URL(url).host != ""
    except (ValueError, httpx2.InvalidURL):
        return False
