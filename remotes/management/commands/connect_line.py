"""``manage.py connect_line USER``: the line that connects a program, alone on the last line."""

from typing import Any

from django.core.management import BaseCommand, CommandParser

from remotes import lines, tokens
from remotes.management.users import user_named


class Command(BaseCommand):
    """See the module."""

    help = "Print the line that connects a program of a user, with a fresh token."

    def add_arguments(self, parser: CommandParser) -> None:
        """The user, where the server is, and what the token is called."""
        parser.add_argument("user")
        parser.add_argument("--server", default="http://127.0.0.1:8000", help="its address")
        parser.add_argument("--name", default="connect_line", help="the token's name")
        parser.add_argument("--windows", action="store_true", help="the line for Windows")

    def handle(self, *, user: str, server: str, name: str, **options: Any) -> None:
        """Print the line; an earlier token of that name which nobody used is dropped."""
        owner = user_named(user)
        tokens.drop_unused(owner, name)
        line = lines.windows_line if options["windows"] else lines.posix_line
        self.stdout.write(line(server.rstrip("/"), tokens.make(owner, name)))
