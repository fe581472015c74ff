"""The gateway as a Django app: finds every app's actions and hears of credentials that end."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.utils.module_loading import autodiscover_modules


class GatewayConfig(AppConfig):
    """Wires the gateway when Django starts."""

    name = "gateway"

    def ready(self) -> None:
        """Register actions and signals."""
        from django.contrib.sessions.models import Session

        from gateway import heartbeat  # noqa: F401

        autodiscover_modules("actions")
        user_model = get_user_model()
        post_save.connect(_user_changed, sender=user_model)
        post_delete.connect(_user_changed, sender=user_model)
        post_delete.connect(_session_deleted, sender=Session)


def _user_changed(instance: Any, **kwargs: object) -> None:
    from gateway import nodes

    user_id = instance.pk
    transaction.on_commit(lambda: nodes.recheck_soon(lambda own: own.user_id == user_id))


def _session_deleted(instance: Any, **kwargs: object) -> None:
    from gateway import nodes

    key = instance.session_key
    transaction.on_commit(lambda: nodes.recheck_soon(lambda own: own.key == key))
