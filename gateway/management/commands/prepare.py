"""``manage.py prepare``: everything between installing and serving, safe to run again."""

import io

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.management import call_command
from django.core.management.base import BaseCommand

from gateway import addresses, backups, locks

LINE_NAME = "script/server"


class Command(BaseCommand):
    """Brings database and static files up to date, then tells a person how to begin."""

    help = "Bring the data folder up to date, and say where to open the page and how to connect."

    def handle(self, *args: object, **options: object) -> None:
        """Do nothing to the data unless a server could then be started on it."""
        host, port = settings.REMOTES_HOST, settings.REMOTES_PORT
        try:
            locks.hold_data()
            addresses.check_free(host, port)
        except locks.DataInUseError as error:
            raise SystemExit(str(error)) from error
        except OSError as error:
            raise SystemExit(addresses.why_not(host, port, error)) from error
        self.update()
        self.introduce(host, port)

    def update(self) -> None:
        """Migrate, with a copy kept of what there was, and collect the static files."""
        if copy := backups.before_migrating():
            self.stdout.write(f"The database is about to change; a copy of it is kept at {copy}")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)

    def introduce(self, host: str, port: int) -> None:
        """Print where the page is, how to sign in and how to connect a program."""
        urls = server_urls(host, port)
        self.stdout.write(f"\nOpen the page at {urls[0]}")
        for url in urls[1:]:
            self.stdout.write(f"            or {url}")
        call_command("first_account", stdout=self.stdout)
        if not settings.REMOTES_HTTPS and not addresses.is_loopback(host):
            self.stdout.write(PLAIN_HTTP)
        if user := first_user():
            self.stdout.write("\nConnect a program: run this line in another terminal.")
            self.stdout.write(f"\n{connect_line(user, urls[0])}\n")


PLAIN_HTTP = """
This is plain HTTP: whoever can listen on your network can read what you send, passwords and
tokens included. That is for a network you trust; docs/deploy.md tells how to add HTTPS."""


def server_urls(host: str, port: int) -> list[str]:
    """The page's addresses, the best one first: behind HTTPS those that a proxy serves."""
    if settings.REMOTES_HTTPS:
        public = [f"{origin}/" for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin]
        if public:
            return public
    return addresses.page_urls(host, port)


def first_user() -> AbstractBaseUser | None:
    """The one who most likely reads this terminal: the oldest administrator."""
    users = get_user_model()._default_manager.filter(is_active=True)
    return users.order_by("-is_superuser", "pk").first()


def connect_line(user: AbstractBaseUser, url: str) -> str:
    """The line that connects a program of ``user``, with a token that replaces the last one."""
    printed = io.StringIO()
    server, name = url.rstrip("/"), user.get_username()
    call_command("connect_line", name, server=server, name=LINE_NAME, stdout=printed)
    return printed.getvalue().strip().splitlines()[-1]
