"""What is stored about remotes: tokens and remembered approvals; never a remote itself."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class AccessToken(models.Model):
    """A program's credential. The token itself is shown once and only its hash is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=100)
    """What the user calls it: the program or the machine it is for."""
    prefix = models.CharField(max_length=16, editable=False)
    """The token's first characters, to recognise it by."""
    digest = models.CharField(max_length=64, unique=True, editable=False)
    """SHA-256 of the token, in hexadecimal."""
    scopes = models.JSONField(default=list, blank=True)
    """Some of "serve", "call", "chat"; an empty list means all of them."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class RememberedApproval(models.Model):
    """A person's consent to every call of one function, for as long as it is defined alike."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    remotename = models.CharField(max_length=128)
    function = models.CharField(max_length=128)
    digest = models.CharField(max_length=64)
    """Of the function's definition; another one is another function."""
    thread = models.CharField(max_length=64, blank=True)
    """The thread it holds in; empty where it holds everywhere."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "remotename", "function", "digest", "thread"),
                name="one_approval_of_a_kind",
            ),
        )

    def __str__(self) -> str:
        return f"{self.remotename}.{self.function}"

    @classmethod
    def holds(
        cls, user_id: int, remotename: str, function: str, digest: str, thread: str | None
    ) -> bool:
        """Whether the user has approved the function, defined so, everywhere or in ``thread``."""
        where = Q(thread="") | Q(thread=thread) if thread else Q(thread="")
        return cls.objects.filter(
            where, user_id=user_id, remotename=remotename, function=function, digest=digest
        ).exists()

    @classmethod
    def remember(
        cls, user_id: int, remotename: str, function: str, digest: str, thread: str
    ) -> None:
        """Keep the user's consent; in ``thread``, or everywhere where it is empty."""
        cls.objects.get_or_create(
            user_id=user_id, remotename=remotename, function=function, digest=digest, thread=thread
        )


class ConnectedRemote(models.Model):
    """No table: gives the list of connected remotes its place and permission in the admin."""

    class Meta:
        managed = False
        default_permissions = ("view",)
        verbose_name = "remote connected now"
        verbose_name_plural = "remotes connected now"

    def __str__(self) -> str:
        return "A remote connected now"
