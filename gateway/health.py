"""Whether this node is alive, and how busy it is."""

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse

from gateway import nodes


def healthz(request: HttpRequest) -> HttpResponse:
    """Says that the process answers, and nothing more."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    """The node's gauges for staff; 503 while the database can't be reached."""
    try:
        is_staff = request.user.is_active and request.user.is_staff
    except DatabaseError:
        return JsonResponse({"database": "unreachable"}, status=503)
    if not is_staff:
        return JsonResponse({"error": "Only staff may see this."}, status=403)
    return JsonResponse({"database": "ok", **nodes.gauges()})
