"""How people sign in, and how often a stranger may try."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.cache import cache
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

TRIES_PER_ACCOUNT = 10
TRIES_PER_ADDRESS = 30
WINDOW = 15 * 60  # seconds

TOO_MANY = "too-many-tries"


class SignInForm(AuthenticationForm):
    """Name and password, looked at only while this account and this address have tries left.

    The answer is the same for a wrong password, an unknown name and a switched-off account.
    """

    def clean(self) -> dict[str, Any]:
        """The checked fields; an exhausted throttle is an error with the code ``too-many-tries``.

        A try is counted before the password is looked at, so that tries made at the same moment
        can't slip past the limit together.
        """
        account, address = self._counters()
        if _count(account) > TRIES_PER_ACCOUNT or _count(address) > TRIES_PER_ADDRESS:
            text = f"Too many tries to sign in. Wait {WINDOW // 60} minutes, then try again."
            raise ValidationError(text, code=TOO_MANY)
        cleaned = super().clean()
        cache.delete(account)
        _uncount(address)
        return cleaned

    def _counters(self) -> tuple[str, str]:
        name = str(self.cleaned_data.get("username", "")).casefold()
        address = client_address(self.request) if self.request else ""
        return _counter("account", name), _counter("address", address)


class SignInView(LoginView):
    """The sign-in page, the only one; also the admin leads here."""

    form_class = SignInForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The page again; with status 429 once there have been too many tries."""
        response = super().form_invalid(form)
        if form.has_error(NON_FIELD_ERRORS, TOO_MANY):
            response.status_code = 429
            response.headers["Retry-After"] = str(WINDOW)
        return response


def client_address(request: HttpRequest) -> str:
    """Where ``request`` comes from: what the proxy says when we stand behind one, else the peer."""
    if settings.REMOTES_HTTPS:
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if forwarded:
            return forwarded
    return str(request.META.get("REMOTE_ADDR", ""))


def _counter(kind: str, value: str) -> str:
    digest = salted_hmac("sign-in", value, algorithm="sha256").hexdigest()
    return f"sign-in:{kind}:{digest}"


def _uncount(counter: str) -> None:
    """Take one try back; the others of the address still count."""
    try:
        cache.decr(counter)
    except ValueError:  # its time has run out meanwhile
        return


def _count(counter: str) -> int:
    cache.add(counter, 0, WINDOW)
    try:
        return cache.incr(counter)
    except ValueError:  # it ran out between the two lines
        return 1
