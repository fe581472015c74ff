"""What is known of an endpoint that serves models, and of a model there."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

OPENAI_ADDRESS = "https://api.openai.com/v1"
SILENCE = 120.0  # seconds without a sign of the model
WINDOW = 32_768  # tokens that a model is taken to read where nothing says how many
LEAST_WINDOW = 1024  # tokens; a message and some functions need as many


class ModelError(Exception):
    """The model gave no whole answer; the text is one or two sentences for the person."""


class RefusedError(ModelError):
    """The endpoint refused the request as a wrong one.

    Attributes:
        told: All that it said of it.
    """

    def __init__(self, text: str, told: str) -> None:
        super().__init__(text)
        self.told = told


class TooLongError(ModelError):
    """The endpoint refused a conversation as longer than the model can read.

    Attributes:
        limit: How many tokens it can read, if the endpoint said so.
    """

    def __init__(self, text: str, limit: int | None = None) -> None:
        super().__init__(text)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class ModelRule:
    """What is set of the models whose names match ``pattern``; None: nothing is."""

    pattern: str
    """With ``*``, ``?`` and ``[...]`` as in the names of files."""
    window: int | None = None
    """Tokens that it reads and writes at once."""
    images: bool | None = None
    reasoning_back: bool | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where models are served, and what is set of them."""

    base_url: str
    api_key: str
    silence: float = SILENCE
    """Seconds to wait for its next sign of life."""
    name: str = ""
    """As REMOTES_MODELS calls it; empty for that of the variables ``OPENAI_*``."""
    rules: tuple[ModelRule, ...] = ()
    """The first that matches and says something counts."""
    names: tuple[str, ...] = ()
    """Models that it has, as the settings say."""
    lists: bool = True
    """Whether it is asked which models it has."""

    @property
    def address(self) -> str:
        """The base URL without what may be secret in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def title(self) -> str:
        """What people know it by."""
        if self is DEMO:
            return "built-in"
        return self.name or urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def address_setting(self) -> str:
        """Where its address is set, for a sentence that says what to check."""
        return self._setting("base_url", "OPENAI_BASE_URL")

    @property
    def key_setting(self) -> str:
        """Where its key is set, likewise."""
        return self._setting("api_key", "OPENAI_API_KEY")

    @property
    def model_setting(self) -> str:
        """Where its models are named, likewise."""
        return self._setting("models", "OPENAI_MODEL")

    def _setting(self, field: str, variable: str) -> str:
        return f"{field} of the endpoint {self.name!r} in REMOTES_MODELS" if self.name else variable

    def model(self, name: str, window: int | None = None) -> "Model":
        """The model of that name here.

        Args:
            window: Tokens that it is known to read, where the settings do not say.
        """
        matching = [rule for rule in self.rules if fnmatchcase(name, rule.pattern)]
        windows = (rule.window for rule in matching if rule.window is not None)
        return Model(
            name,
            self,
            window=next(windows, window or WINDOW),
            images=next((r.images for r in matching if r.images is not None), False),
            wants_reasoning=next(
                (r.reasoning_back for r in matching if r.reasoning_back is not None), False
            ),
        )


@dataclass(frozen=True, slots=True)
class Model:
    """A model at its endpoint."""

    name: str
    endpoint: Endpoint
    window: int = WINDOW
    """Tokens that it reads and writes at once."""
    images: bool = False
    """Whether it takes images."""
    wants_reasoning: bool = False
    """Whether it is to get back, within a run, what it thought aloud beside its calls.

    Some servers insist on that and some refuse it.
    """

    @property
    def id(self) -> str:
        """What a thread chooses it by."""
        return f"{self.endpoint.name}/{self.name}" if self.endpoint.name else self.name


DEMO = Endpoint("http://built-in.invalid/v1", "needs-no-key")
"""Never looked up: the demo model answers within this process."""
