"""The agent's ear: what it does when a message is added to a thread."""

from django.apps import apps

from agents import runs
from agents.expert import ExpertAgent
from agents.runs import Answering
from chat import wire
from chat.turns import Turn
from remotes.apps import RemotesConfig


class Agent:
    """Answers the messages of threads.

    Args:
        answering: How a run comes to its events, if not by :class:`ExpertAgent`.
    """

    def __init__(self, answering: Answering | None = None) -> None:
        self._answering = answering or ExpertAgent(_app()).run

    async def received_message(self, turn: Turn) -> None:
        """Start the run that answers a user's message.

        The thread's resources are looked through for those of kind ``system`` and subkind
        ``remote``: what they contain are the names of the remotes that the run may use.
        """
        names = wire.remote_names(turn.thread.resources.all())
        runs.start(turn, names, self._answering)


def _app() -> RemotesConfig:
    app = apps.get_app_config("remotes")
    assert isinstance(app, RemotesConfig)  # noqa: S101
    return app
