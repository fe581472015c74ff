"""What is said at start of settings of models that cannot be."""

from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register

from agents import configuration
from agents.configuration import setting
from agents.endpoints import ModelError


@register
def model_settings(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """The endpoints can be read.

    A file that can't stops the server; a wrong variable leaves it a page that says so.
    """
    several = bool(setting("REMOTES_MODELS"))
    try:
        configuration.read()
    except ModelError as error:
        kind = Error if several else Warning
        return [kind(str(error), id="agents.E001" if several else "agents.W001")]
    unread = [name for name in ("OPENAI_BASE_URL", "OPENAI_MODEL") if setting(name)]
    if several and unread:
        text = f"Since REMOTES_MODELS is set, this is not read: {', '.join(unread)}."
        return [Warning(text, id="agents.W002")]
    return []
