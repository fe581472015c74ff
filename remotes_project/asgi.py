"""The ASGI application: HTTP goes to Django, ``/ws/`` to the gateway, nothing else is served."""

import os
import sys
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "remotes_project.settings")
http = get_asgi_application()

# Models may be imported only once Django is set up.
from gateway import locks, nodes  # noqa: E402
from gateway.consumers import Gateway  # noqa: E402

try:
    locks.hold_data()
except locks.DataInUseError as error:
    sys.exit(str(error))

websocket = Gateway.as_asgi()


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Serve one request or one socket; the first of them starts this node."""
    nodes.start()
    if scope["type"] != "websocket":
        await http(scope, receive, send)
    elif scope["path"] == "/ws/":
        await websocket(scope, receive, send)
    else:
        await refuse(receive, send)


async def refuse(receive: Any, send: Any) -> None:
    """Deny a socket before it opens: the server answers with HTTP 403."""
    await receive()
    await send({"type": "websocket.close"})
