"""The remotes as a Django app; the agent asks it for a user's tools."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete, post_save

if TYPE_CHECKING:
    from remotes.tools import RemoteToolSpec


class RemotesConfig(AppConfig):
    """The ``app`` that an agent is given."""

    name = "remotes"

    def ready(self) -> None:
        """Let the gateway know how tokens are looked up, and hear when one ends."""
        from gateway import credentials
        from remotes import tokens
        from remotes.models import AccessToken

        credentials.register_tokens(credentials.TokenAuthenticator(tokens.identify, tokens.holding))
        post_save.connect(_token_changed, sender=AccessToken)
        post_delete.connect(_token_changed, sender=AccessToken)

    def getRemoteTools(self, user_id: int, remotes: Iterable[str]) -> list["RemoteToolSpec"]:  # noqa: N802
        """The functions of those of the user's ``remotes`` that are connected now, as tools.

        In the order of the names given, each remote once, its functions as it declared them.
        """
        from remotes import registry
        from remotes.exceptions import RemoteNotFoundError
        from remotes.tools import RemoteToolSpec

        tools: list[RemoteToolSpec] = []
        for name in dict.fromkeys(remotes):
            try:
                connection = registry.find(user_id, name)
            except RemoteNotFoundError:
                continue
            tools += [
                RemoteToolSpec(user_id, name, function)
                for function in connection.functions.values()
            ]
        return tools


def _token_changed(instance: Any, **kwargs: object) -> None:
    from gateway import nodes

    key = str(instance.pk)
    transaction.on_commit(lambda: nodes.recheck_soon(lambda own: own.key == key))
