"""Access tokens: making them and looking them up. All functions use the ORM."""

import hashlib
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from gateway.actions import Scope
from gateway.credentials import Identity
from remotes.models import AccessToken

PREFIX = "rmt_"
SHOWN = 10  # characters kept to recognise a token by
NOTED_EVERY = timedelta(minutes=1)
"""How exact ``last_used_at`` is."""


def make(
    user: User,
    name: str,
    *,
    scopes: Sequence[Scope] = (),
    expires_at: datetime | None = None,
) -> str:
    """Make a token for ``user``; this is the only time that it can be seen."""
    token = new_token()
    AccessToken.objects.create(
        user=user,
        name=name,
        scopes=[scope.value for scope in scopes],
        expires_at=expires_at,
        **marks_of(token),
    )
    return token


def new_token() -> str:
    """A random token: 256 bits, of characters that a WebSocket subprotocol may have."""
    return PREFIX + secrets.token_urlsafe(32)


def marks_of(token: str) -> dict[str, str]:
    """What is stored of a token."""
    digest = hashlib.sha256(token.encode()).hexdigest()
    return {"prefix": token[:SHOWN], "digest": digest}


def drop_unused(user: User, name: str) -> None:
    """Delete the user's tokens called ``name`` that nothing has connected with."""
    AccessToken.objects.filter(user=user, name=name, last_used_at=None).delete()


def identify(token: str) -> Identity | None:
    """Whose token it is; None when it is unknown, revoked, expired or its user is inactive."""
    digest = marks_of(token)["digest"]
    entry = _valid().select_related("user").filter(digest=digest).first()
    if entry is None:
        return None
    now = timezone.now()
    if entry.last_used_at is None or now - entry.last_used_at > NOTED_EVERY:
        AccessToken.objects.filter(pk=entry.pk).update(last_used_at=now)
    return Identity(
        entry.user_id,
        entry.user.get_username(),
        "token",
        str(entry.pk),
        entry.expires_at,
        frozenset(entry.scopes),
    )


def holding(ids: Collection[str]) -> set[str]:
    """Which of the tokens with these ids still hold."""
    return {str(pk) for pk in _valid().filter(pk__in=list(ids)).values_list("pk", flat=True)}


def _valid() -> QuerySet[AccessToken]:
    now = timezone.now()
    return AccessToken.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=now),
        Q(revoked_at=None) | Q(revoked_at__gt=now),
        user__is_active=True,
    )
