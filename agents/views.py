"""The page on which staff see the models and try one."""

from contextlib import aclosing

from django.contrib.auth.decorators import user_passes_test
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from agents import catalog, checkup


def _is_staff(user: AbstractBaseUser | AnonymousUser) -> bool:
    if user.is_authenticated and not getattr(user, "is_staff", False):
        raise PermissionDenied
    return user.is_authenticated


@require_http_methods(["GET", "HEAD", "POST"])
@user_passes_test(_is_staff)
async def models_page(request: HttpRequest) -> HttpResponse:
    """All models with what is known of them; a POST tries the one it names first."""
    tried = request.POST.get("model", "")
    found = []
    if tried:
        async with aclosing(checkup.findings(model=tried)) as findings:
            found = [finding async for finding in findings]
    offer = await catalog.offer()
    return render(
        request, "agents/models.html", {"offer": offer, "tried": tried, "findings": found}
    )
