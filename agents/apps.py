"""The agent as a Django app."""

from typing import Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete


class AgentsConfig(AppConfig):
    """Answers messages; what it stores belongs to the chat."""

    name = "agents"

    def ready(self) -> None:
        """Have the settings of models checked at start, and hear of threads that are deleted."""
        from agents import checks  # noqa: F401
        from chat.models import Thread

        post_delete.connect(_thread_deleted, sender=Thread)


def _thread_deleted(instance: Any, **kwargs: object) -> None:
    """Have everyone hear of it, whoever deleted the thread: a socket, or staff in the admin."""
    from agents import runs
    from gateway import nodes

    user_id, thread = instance.user_id, instance.pk
    transaction.on_commit(lambda: nodes.spawn_soon(lambda: runs.thread_deleted(user_id, thread)))
