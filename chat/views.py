"""The chat page, which is the same for every thread: what it shows comes over the socket."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
@login_required
def page(request: HttpRequest, thread: str = "") -> HttpResponse:
    """The page; ``thread`` is checked by the socket, where another user's is not found."""
    return render(request, "chat/page.html")
