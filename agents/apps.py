"""The agent as a Django app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Answers messages; what it stores belongs to the chat."""

    name = "agents"

    def ready(self) -> None:
        """Have the settings of models checked at start."""
        from agents import checks  # noqa: F401
