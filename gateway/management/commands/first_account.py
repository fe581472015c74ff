"""``manage.py first_account``: an empty installation gets someone who can sign in."""

import os
import secrets
import shlex

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

NAME = "admin"
PASSWORD_BYTES = 12


class Command(BaseCommand):
    """Makes the account ``admin`` if there is none at all, and says how to sign in."""

    help = "Make the first account if there is none, and say how to sign in."

    def handle(self, *args: object, **options: object) -> None:
        """Print the words; the password is in them only when the account was just made."""
        users = get_user_model()._default_manager
        if not users.exists():
            password = secrets.token_urlsafe(PASSWORD_BYTES)
            users.create_superuser(NAME, password=password)
            self.stdout.write(f"Sign in as {NAME} with the password {password}")
            self.stdout.write("This password is shown only now; change it once you are in.")
            return
        user = users.filter(is_superuser=True, is_active=True).order_by("pk").first()
        name = user.get_username() if user else NAME
        self.stdout.write(f"Sign in as {name}, or as anyone else who has an account.")
        self.stdout.write(f"A forgotten password is reset by: {reset_command(name)}")


def reset_command(name: str) -> str:
    """The line that sets a new password for ``name`` when it is run in the checkout."""
    command = f".venv/bin/python manage.py changepassword {shlex.quote(name)}"
    if os.environ.get("REMOTES_DATA_DIR"):
        return f"REMOTES_DATA_DIR={shlex.quote(str(settings.REMOTES_DATA_DIR))} {command}"
    return command
