#!/usr/bin/env python
"""Run one of the project's management commands."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command of ``sys.argv``; a faulty environment ends it with one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "remotes_project.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
