"""What is kept of a conversation: threads, messages, calls, runs, resources.

Ids are random strings, so that none can be guessed from another.
"""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

TITLE_LENGTH = 200  # code points
MODEL_LENGTH = 200  # code points
KEY_LENGTH = 128  # code points
NAME_LENGTH = 128  # code points


def new_id() -> str:
    """A fresh id: 128 random bits, 22 characters of ``[A-Za-z0-9_-]``."""
    return secrets.token_urlsafe(16)


class Identified(models.Model):
    """A row with an unguessable id."""

    id = models.CharField(primary_key=True, max_length=64, default=new_id, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)


class Thread(Identified):
    """One conversation of one user with the agent."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="threads"
    )
    title = models.CharField(max_length=TITLE_LENGTH, blank=True)
    model = models.CharField(max_length=MODEL_LENGTH, blank=True)
    """The model that answers; empty for the server's default."""
    head = models.ForeignKey(
        "Message", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    """The last message of the branch that is shown."""
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    """When its last message began or ended; a new title does not move a thread in the list."""

    class Meta:
        ordering = ("-updated_at", "-id")
        indexes = (models.Index(fields=("user", "-updated_at", "-id"), name="thread_list"),)

    def __str__(self) -> str:
        return self.title or self.pk


class Message(Identified):
    """What one side said; messages form a tree, of which a thread shows one branch."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    class Status(models.TextChoices):
        STREAMING = "streaming"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed"
        INTERRUPTED = "interrupted"

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    role = models.CharField(max_length=16, choices=Role)
    content = models.TextField(blank=True)
    reasoning = models.TextField(blank=True)
    """What the model thought aloud while it wrote it; no part of the answer."""
    status = models.CharField(max_length=16, choices=Status, default=Status.DONE)
    error = models.TextField(blank=True)
    """Why it failed or was cut short, in words for the person at the page."""
    model = models.CharField(max_length=MODEL_LENGTH, blank=True)
    """The model that wrote it."""
    usage = models.JSONField(default=dict, blank=True)
    """Tokens as ``{prompt, completion, total}``, where the endpoint tells."""
    history_from = models.CharField(max_length=64, blank=True)
    """The id of the user's message from where on the model saw the thread, if not from its start.

    No relation: it is only ever shown, and belongs to the same branch.
    """
    key = models.CharField(max_length=KEY_LENGTH, blank=True)
    """The sender's own mark, by which the same request sent twice is known."""
    created_at = models.DateTimeField(default=timezone.now)
    selected_at = models.DateTimeField(null=True, blank=True)
    """When the branch that ends with it was last chosen to be shown again."""

    class Meta:
        ordering = ("created_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("thread", "key"), condition=~Q(key=""), name="message_key_once"
            ),
        )


class Call(Identified):
    """One call of a remote's function, made by the agent while it wrote a message."""

    class Status(models.TextChoices):
        AWAITING_APPROVAL = "awaiting-approval"
        RUNNING = "running"
        DONE = "done"
        ERROR = "error"
        DENIED = "denied"
        STOPPED = "stopped"
        INTERRUPTED = "interrupted"

    OPEN = (Status.AWAITING_APPROVAL, Status.RUNNING)
    """The states of a call that has no outcome yet."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="calls")
    remotename = models.CharField(max_length=NAME_LENGTH, blank=True)
    """Empty where the model made up a function."""
    function = models.TextField()
    args = models.TextField()
    """JSON text, or what the model wrote where that was none."""
    status = models.CharField(max_length=32, choices=Status, default=Status.RUNNING)
    result = models.TextField(blank=True)
    """JSON text, if it succeeded."""
    error = models.TextField(blank=True)
    code = models.CharField(max_length=64, blank=True)
    """The error's code in the protocol."""
    duration = models.FloatField(null=True, blank=True)
    """Seconds."""
    offset = models.PositiveIntegerField(default=0)
    """Its place in the message's text, in code points."""
    position = models.PositiveIntegerField(default=0)
    """Its place among the message's calls."""

    class Meta:
        ordering = ("message", "position")


class Run(Identified):
    """One turn of the agent, which writes one message."""

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"
        INTERRUPTED = "interrupted"

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="runs")
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="runs")
    """The assistant's message that it writes."""
    status = models.CharField(max_length=16, choices=Status, default=Status.RUNNING)
    error = models.TextField(blank=True)
    node = models.CharField(max_length=64)
    """The boot id of the server process that it runs in."""
    heartbeat = models.DateTimeField(default=timezone.now)
    """When that process last wrote that it is still at it."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("thread",), condition=Q(status="running"), name="one_run_a_thread"
            ),
        )


class Resource(Identified):
    """Something attached to a thread for the agent to use."""

    class Kind(models.TextChoices):
        SYSTEM = "system"

    class Subkind(models.TextChoices):
        REMOTE = "remote"
        """``content`` is the name of a remote."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="resources")
    kind = models.CharField(max_length=32, choices=Kind, default=Kind.SYSTEM)
    subkind = models.CharField(max_length=32, choices=Subkind)
    content = models.TextField()
    position = models.PositiveIntegerField(default=0)
    """Its place among the thread's resources."""

    class Meta:
        ordering = ("thread", "position")
