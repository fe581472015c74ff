"""Which models there are to choose from, and which one answers.

An endpoint's own list is asked for at most once a minute, and never waited for long.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from time import monotonic
from typing import cast
from weakref import WeakKeyDictionary

import httpx2
import openai

from agents import configuration, demo, failures
from agents.clients import client_for
from agents.endpoints import DEMO, LEAST_WINDOW, OPENAI_ADDRESS, Endpoint, Model, ModelError
from chat.models import MODEL_LENGTH

LIST_TIMEOUT = 10.0  # seconds
KEPT_LIST = 60.0  # seconds
KEPT_FAILURE = 5.0  # seconds
MOST_OFFERED = 500  # models in all
NO_CHAT = (
    *("*embed*", "*moderation*", "*rerank*", "*whisper*", "*transcribe*", "*realtime*", "*tts*"),
    *("dall-e*", "gpt-image*", "sora*", "babbage-*", "davinci-*"),
)
"""Names of listed models that hold no conversation, so that they are not offered."""
WINDOW_KEYS = (
    *("max_model_len", "n_ctx", "loaded_context_length"),
    *("context_length", "max_context_length", "context_window"),
)
"""Under which keys vLLM, llama.cpp, LM Studio, OpenRouter, Mistral and Groq tell how many tokens a
model reads; llama.cpp has its own in an object ``meta``."""

_DEMO_MODEL = Model(demo.NAME, DEMO, demo.WINDOW)

_windows: dict[tuple[str, str], int] = {}
"""Tokens that a model at an address reads, as the endpoint told or turned out."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What an endpoint said of its models, or why that is not known."""

    names: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What there is to choose from."""

    models: list[Model]
    """Each once; the default first, the demo model last."""
    default: Model | None
    faults: list[str]
    """Sentences for whoever may mend the settings or an endpoint."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a list, under way or answered."""

    task: asyncio.Task[Listing]
    at: float

    @property
    def stale(self) -> bool:
        """Whether it is to be asked again."""
        if not self.task.done():
            return False
        failed = self.task.cancelled() or self.task.result().fault
        return monotonic() - self.at > (KEPT_FAILURE if failed else KEPT_LIST)


_asked: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Endpoint, Asked]] = WeakKeyDictionary()


async def choose(wanted: str | None) -> Model:
    """The model to use: ``wanted`` by the thread, or the default of the settings.

    Raises:
        ModelError: There is no such model, or the settings do not say enough.
    """
    settings = configuration.read()
    if wanted == demo.NAME or not (wanted or settings.endpoints):
        return _DEMO_MODEL
    name = wanted or settings.default
    if not name:
        return await first_at(settings.endpoints[0])
    for endpoint in settings.endpoints:
        if endpoint.name and name.startswith(f"{endpoint.name}/"):
            return model_at(endpoint, name.removeprefix(f"{endpoint.name}/"))
    if len(settings.endpoints) == 1:
        return model_at(settings.endpoints[0], name)
    for endpoint in settings.endpoints:
        if name in (await names(endpoint)).names:
            return model_at(endpoint, name)
    raise ModelError(f"There is no model {name!r} here now. Choose another one for this thread.")


async def offer() -> Offer:
    """All models that a thread may choose, and what keeps others away, in words."""
    try:
        endpoints = configuration.read().endpoints
        listings = await asyncio.gather(*(names(endpoint) for endpoint in endpoints))
    except ModelError as error:
        return Offer([_DEMO_MODEL], None, [str(error)])
    models = [
        model_at(endpoint, name)
        for endpoint, listing in zip(endpoints, listings, strict=True)
        for name in listing.names
    ]
    faults = [listing.fault for listing in listings if listing.fault]
    try:
        default = await choose(None)
    except ModelError as error:
        default = None
        faults.append(str(error))
    usable = [model for model in models if len(model.id) <= MODEL_LENGTH]
    first = [default] if default else []
    by_id = {model.id: model for model in [*first, *usable][:MOST_OFFERED]}
    by_id.setdefault(_DEMO_MODEL.id, _DEMO_MODEL)
    return Offer(list(by_id.values()), default, list(dict.fromkeys(faults)))


async def names(endpoint: Endpoint) -> Listing:
    """The models at an endpoint: those that the settings name, and those that it lists."""
    if not endpoint.lists:
        return Listing(tuple(endpoint.names))
    listing = await _listed(endpoint)
    return Listing(tuple(dict.fromkeys([*endpoint.names, *listing.names])), listing.fault)


def note_window(model: Model, tokens: int) -> None:
    """Remember how many tokens a model turned out to read, unless the settings say."""
    _windows[model.endpoint.base_url, model.name] = tokens


def model_at(endpoint: Endpoint, name: str) -> Model:
    """The model of that name at an endpoint, whether it is there or not."""
    return endpoint.model(name, _windows.get((endpoint.base_url, name)))


async def first_at(endpoint: Endpoint) -> Model:
    """The model to use at an endpoint where nothing names one.

    Raises:
        ModelError: It has none, or too many to guess.
    """
    if endpoint.names:
        return model_at(endpoint, endpoint.names[0])
    if endpoint.base_url == OPENAI_ADDRESS:
        raise ModelError(
            f"No model is chosen. Set {endpoint.model_setting} to the name of one, "
            "or choose one for this thread."
        )
    listing = await names(endpoint)
    if not listing.names:
        raise ModelError(listing.fault or f"The endpoint at {endpoint.address} lists no model.")
    return model_at(endpoint, listing.names[0])


# Asking


async def _listed(endpoint: Endpoint) -> Listing:
    asked = _asked.setdefault(asyncio.get_running_loop(), {})
    if endpoint not in asked or asked[endpoint].stale:
        asked[endpoint] = Asked(asyncio.create_task(_ask(endpoint)), monotonic())
    return await asyncio.shield(asked[endpoint].task)


async def _ask(endpoint: Endpoint) -> Listing:
    unclear = Listing(
        fault=f"The endpoint at {endpoint.address} does not say which models it has. Check "
        f"{endpoint.address_setting}, which usually ends in /v1, or set {endpoint.model_setting}."
    )
    try:
        async with asyncio.timeout(LIST_TIMEOUT):
            answer = await client_for(endpoint).get("/models", cast_to=httpx2.Response)
        return Listing(tuple(_read(endpoint, answer.json())))
    except TimeoutError:
        return Listing(fault=f"The endpoint at {endpoint.address} did not list its models in time.")
    except openai.APIConnectionError as error:
        return Listing(fault=failures.unreachable(error, endpoint))
    except (openai.AuthenticationError, openai.PermissionDeniedError):
        return Listing(fault=failures.refused_key(endpoint))
    except (openai.APIStatusError, ValueError, LookupError, TypeError):
        return unclear


def _read(endpoint: Endpoint, answer: Mapping[str, object]) -> list[str]:
    """The names in a list of models; what else it tells of them is noted."""
    found = []
    for entry in cast("list[dict[str, object]]", answer["data"])[:MOST_OFFERED]:
        name = entry["id"]
        if not isinstance(name, str) or any(fnmatchcase(name.lower(), each) for each in NO_CHAT):
            continue
        found.append(name)
        meta = entry.get("meta")
        told = {**meta, **entry} if isinstance(meta, dict) else entry
        window = next((told[key] for key in WINDOW_KEYS if told.get(key)), None)
        if isinstance(window, int) and window >= LEAST_WINDOW:
            _windows.setdefault((endpoint.base_url, name), window)
    return found
