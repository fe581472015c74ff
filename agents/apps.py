"""The agent as a Django app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Answers messages; what it stores belongs to the chat."""

    name = "agents"
