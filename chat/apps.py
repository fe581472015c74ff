"""The chat as a Django app."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Threads, messages and the page that shows them."""

    name = "chat"
