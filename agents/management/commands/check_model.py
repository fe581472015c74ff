"""``manage.py check_model``: try a model and say in words what is missing."""

import asyncio
from contextlib import aclosing
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from agents import checkup, clients


class Command(BaseCommand):
    """See the module."""

    help = "Ask a model for a line and for a call, and say in words what is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which model; the default of the settings where nothing is said."""
        parser.add_argument("--endpoint", help="the endpoint's name, as in REMOTES_MODELS")
        parser.add_argument("--model", help="the model's name; demo is the built-in one")

    def handle(self, *, endpoint: str | None, model: str | None, **options: Any) -> None:
        """Print each finding as it comes; fails if one is bad."""
        if not asyncio.run(self._check(endpoint, model)):
            raise CommandError("This model can't be used as it is; see the lines above.")

    async def _check(self, endpoint: str | None, model: str | None) -> bool:
        good = True
        try:
            async with aclosing(checkup.findings(endpoint, model)) as findings:
                async for finding in findings:
                    good = good and finding.good
                    mark = "ok " if finding.good else "NOT"
                    self.stdout.write(f"{mark} {finding.what}: {finding.text}")
        finally:
            await clients.close()
        return good
