"""``manage.py create_token USER --name N``: a token for a program, alone on the last line."""

from datetime import timedelta
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from gateway.actions import Scope
from remotes import tokens
from remotes.management.users import user_named


class Command(BaseCommand):
    """See the module."""

    help = "Make an access token for a program of a user. It is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        """The user, and what the token is called and limited to."""
        parser.add_argument("user")
        parser.add_argument("--name", required=True, help="what the token is for")
        parser.add_argument(
            "--scope",
            action="append",
            default=[],
            choices=[scope.value for scope in Scope],
            help="limit it to this; may be given several times; without it, all are allowed",
        )
        parser.add_argument("--days", type=float, help="how many days it holds; for ever if absent")

    def handle(self, *, user: str, name: str, **options: Any) -> None:
        """Print the token."""
        if not 1 <= len(name) <= 100:
            raise CommandError("The name has 1 to 100 characters.")
        days = options["days"]
        token = tokens.make(
            user_named(user),
            name,
            scopes=[Scope(scope) for scope in options["scope"]],
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        self.stderr.write(f"Token {name!r} for {user}; it can't be shown again:")
        self.stdout.write(token)
