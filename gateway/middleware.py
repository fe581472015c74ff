"""The headers that every answer carries to keep pages to themselves."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponseBase

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
    )
)
PERMISSIONS_POLICY = ", ".join(
    ("geolocation=(self)", "camera=()", "microphone=()", "payment=()", "usb=()")
)

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class SecurityHeadersMiddleware:
    """Adds the one Content-Security-Policy, unless a view has set its own."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """The answer to ``request`` with the headers in place."""
        answer = self.get_response(request)
        if isinstance(answer, HttpResponseBase):
            return _guarded(answer)
        return _guarded_later(answer)


async def _guarded_later(answer: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    return _guarded(await answer)


def _guarded(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
    return response
