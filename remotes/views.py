"""The client for programs, and the lines that connect one."""

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.views.decorators.http import require_POST, require_safe

from remotes import client_files, lines, tokens

DIALOG_TOKEN = "Connected from the page"  # noqa: S105 - a name, not a secret


@require_safe
def client_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """One of the client's files; anyone may have it, it holds no secret."""
    path = client_files.built().get(name)
    if path is None:
        raise Http404(f"There is no client file called {name}.")
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)


@login_required
@require_POST
def connect_lines(request: HttpRequest) -> JsonResponse:
    """A fresh token and the lines to paste with it; an earlier one that nobody used is dropped."""
    assert request.user.is_authenticated  # noqa: S101
    tokens.drop_unused(request.user, DIALOG_TOKEN)
    token = tokens.make(request.user, DIALOG_TOKEN)
    server = request.build_absolute_uri("/").rstrip("/")
    return JsonResponse(
        {
            "token": token,
            "name": DIALOG_TOKEN,
            "server": server,
            "posix": lines.posix_line(server, token),
            "windows": lines.windows_line(server, token),
        }
    )
