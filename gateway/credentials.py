"""Who opened a socket, whether it may, and whether its credential still holds.

Cookies are looked at here; tokens by the authenticator that `remotes` registers.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.sessions.models import Session
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, parse_cookie
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import is_same_domain

from gateway.database import in_database

SUBPROTOCOL = "remotes.v1"
BEARER_PREFIX = "bearer."

_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HandshakeRefusedError(Exception):
    """The handshake is answered with HTTP 403: a wrong Host or Origin."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose socket it is, and by which credential it was opened."""

    user_id: int
    name: str
    kind: Literal["cookie", "token"]
    key: str
    """The session's key or the token's id; tells which sockets end with a credential."""
    expires_at: datetime | None = None
    scopes: frozenset[str] = field(default_factory=frozenset)
    """What a token is limited to; an empty set means no limit."""


@dataclass(frozen=True, slots=True)
class TokenAuthenticator:
    """How tokens are looked up; both functions use the ORM and run in a database thread."""

    identify: Callable[[str], Identity | None]
    """The identity behind a token, None when it is unknown, revoked, expired or its user off."""
    holding: Callable[[Collection[str]], set[str]]
    """Which of some token ids still hold."""


_authenticators: list[TokenAuthenticator] = []


def register_tokens(authenticator: TokenAuthenticator) -> None:
    """Let ``authenticator`` decide about tokens."""
    _authenticators[:] = [authenticator]


class _Handshake(HttpRequest):
    """A socket's handshake, seen as the request that Django's own checks take."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        super().__init__()
        self._wss = scope.get("scheme") == "wss"
        self.method = "GET"
        for raw_name, raw_value in scope["headers"]:
            if b"_" in raw_name:  # as Django does: it could pass for one with hyphens
                continue
            name = "HTTP_" + raw_name.decode("latin-1").upper().replace("-", "_")
            value = raw_value.decode("latin-1")
            between = "; " if name == "HTTP_COOKIE" else ","
            self.META[name] = f"{self.META[name]}{between}{value}" if name in self.META else value
        self.COOKIES = parse_cookie(self.META.get("HTTP_COOKIE", ""))

    def _get_scheme(self) -> str:
        return "https" if self._wss else "http"


async def identify(scope: Mapping[str, Any]) -> Identity | None:
    """The identity behind a socket's handshake; None when it is not authenticated.

    The order is Host, then a token if one is offered, then Origin, then the session cookie.

    Raises:
        HandshakeRefusedError: The Host is not allowed, or a cookie comes from another Origin.
    """
    request = _Handshake(scope)
    try:
        host = request.get_host()
    except (DisallowedHost, KeyError) as error:  # KeyError: there is no Host at all
        raise HandshakeRefusedError(str(error)) from error
    token = offered_token(request.META, scope.get("subprotocols", ()))
    if token is not None:
        return await _identify_token(token)
    if not origin_allowed(request.META.get("HTTP_ORIGIN"), request.scheme or "http", host):
        raise HandshakeRefusedError("The Origin is not this site's own.")
    return await in_database(_identify_cookie, request)


def offered_token(meta: Mapping[str, str], subprotocols: Sequence[str]) -> str | None:
    """The token in the Authorization header or the subprotocols, None where there is none."""
    kind, _, value = meta.get("HTTP_AUTHORIZATION", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    for name in subprotocols:
        if name.startswith(BEARER_PREFIX):
            return name.removeprefix(BEARER_PREFIX)
    return None


def origin_allowed(origin: str | None, scheme: str, host: str) -> bool:
    """Whether a cookie may be used from ``origin`` on a site at ``scheme://host``."""
    theirs = _origin_parts(origin or "")
    if theirs is None:
        return False
    trusted = [_origin_parts(entry.rstrip("/")) for entry in settings.CSRF_TRUSTED_ORIGINS]
    return theirs == _origin_parts(f"{scheme}://{host}") or any(
        _matches(theirs, entry) for entry in trusted if entry is not None
    )


Origin = tuple[str, str, int | None]
"""Scheme, host and port."""


def _origin_parts(origin: str) -> Origin | None:
    try:
        parts = urlsplit(origin)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    more = parts.path or parts.query or parts.fragment or parts.username is not None
    if more or not parts.scheme or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port


def _matches(origin: Origin, trusted: Origin) -> bool:
    pattern = trusted[1].removeprefix("*")
    return (origin[0], origin[2]) == (trusted[0], trusted[2]) and is_same_domain(origin[1], pattern)


async def _identify_token(token: str) -> Identity | None:
    if not _TOKEN.fullmatch(token) or not _authenticators:
        return None
    return await in_database(_authenticators[0].identify, token)


def _identify_cookie(request: HttpRequest) -> Identity | None:
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return _cookie_identity(key) if key else None


def _cookie_identity(key: str) -> Identity | None:
    """The identity behind a session's key.

    Django's own look-up would cycle the key of a session made under an older SECRET_KEY, which a
    socket cannot tell the browser, and so sign it out. It would not tell either when the session
    ends, but when it would if it began now.
    """
    row = Session.objects.filter(session_key=key, expire_date__gt=timezone.now()).first()
    session = row.get_decoded() if row else {}
    backend = session.get(BACKEND_SESSION_KEY, "")
    if row is None or backend not in settings.AUTHENTICATION_BACKENDS:
        return None
    user = load_backend(backend).get_user(session.get(SESSION_KEY))
    if user is None or not user.is_active:
        return None
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    if not any(constant_time_compare(session.get(HASH_SESSION_KEY, ""), own) for own in hashes):
        return None
    return Identity(user.pk, user.get_username(), "cookie", key, row.expire_date)


async def holding(identities: Collection[Identity]) -> set[Identity]:
    """Those of ``identities`` whose credential still holds."""
    return await in_database(_holding, identities)


def _holding(identities: Collection[Identity]) -> set[Identity]:
    token_ids = {identity.key for identity in identities if identity.kind == "token"}
    good_tokens = _authenticators[0].holding(token_ids) if token_ids and _authenticators else set()
    return {
        identity
        for identity in identities
        if (identity.key in good_tokens if identity.kind == "token" else _cookie_holds(identity))
    }


def _cookie_holds(identity: Identity) -> bool:
    now = _cookie_identity(identity.key)
    return now is not None and now.user_id == identity.user_id
