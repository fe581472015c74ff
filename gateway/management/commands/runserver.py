"""``manage.py runserver``: Daphne, with pings and limits that suit long-lived sockets."""

import os
from typing import Any, Never

from autobahn.exception import Disconnected
from daphne.endpoints import build_endpoint_description_strings
from daphne.management.commands.runserver import Command as DaphneCommand
from daphne.server import Server
from django.conf import settings
from django.core.management.base import CommandParser

from gateway import addresses, locks

PING_INTERVAL = 20  # seconds
PING_TIMEOUT = (
    15  # seconds; below the interval, or a second ping would outrun the first one's timer
)
NO_AGE_LIMIT = -1


class PatientServer(Server):  # type: ignore[misc]  # Daphne has no types
    """Daphne for sockets that stay open for days; says when it listens, or keeps why it can't."""

    refusal: OSError | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **options,
            ping_interval=PING_INTERVAL,
            ping_timeout=PING_TIMEOUT,
            websocket_timeout=NO_AGE_LIMIT,
            ready_callable=self.announce,
        )

    def announce(self) -> None:
        """Print the addresses at which the page now answers."""
        for host, port in self.listening_addresses:
            for url in addresses.page_urls(host, port):
                print(f"Ready: {url}", flush=True)

    async def handle_reply(self, protocol: Any, message: Any) -> None:
        """Pass a message on; a client that has left is what ASGI says it is, an OSError."""
        try:
            await super().handle_reply(protocol, message)
        except Disconnected as error:
            raise ConnectionResetError("The client has left.") from error

    def listen_error(self, failure: Any) -> None:
        """Keep the reason for which the port can't be had, and do not run."""
        self.refusal = failure.value.socketError
        self.stop()


class Command(DaphneCommand):  # type: ignore[misc]  # Daphne has no types
    """Serves until it is stopped, without watching the source unless it is asked to."""

    help = "Serve the pages and the sockets with Daphne."
    default_addr = settings.REMOTES_HOST
    default_port = str(settings.REMOTES_PORT)

    def add_arguments(self, parser: CommandParser) -> None:
        """Daphne's options, and ``--reload``."""
        super().add_arguments(parser)
        parser.add_argument(
            "--reload",
            action="store_true",
            dest="use_reloader",
            help="Start again whenever a source file changes.",
        )
        parser.set_defaults(use_reloader=False)

    def inner_run(self, *args: object, **options: Any) -> None:
        """Take the data and the port, then serve; one line says why either can't be had."""
        self.check()
        try:
            locks.hold_data()
        except locks.DataInUseError as error:
            self.refuse(str(error))
        server = PatientServer(
            application=self.get_application(options),
            endpoints=build_endpoint_description_strings(host=self.addr, port=self.port),
            signal_handlers=not options["use_reloader"],
            action_logger=self.log_action,
            http_timeout=self.http_timeout,
            websocket_handshake_timeout=self.websocket_handshake_timeout,
            websocket_max_message_size=self.websocket_max_message_size,
            websocket_max_frame_size=self.websocket_max_frame_size,
        )
        server.run()
        if server.refusal:
            self.refuse(addresses.why_not(self.addr, int(self.port), server.refusal))

    def refuse(self, reason: str) -> Never:
        """End the process with one line; under the reloader this is no main thread."""
        self.stderr.write(reason)
        os._exit(1)

    def log_action(self, protocol: str, action: str, details: dict[str, Any]) -> None:
        """Daphne's log line, without what stands behind the question mark of an address."""
        path = details["path"].partition("?")[0]
        super().log_action(protocol, action, {**details, "path": path})
