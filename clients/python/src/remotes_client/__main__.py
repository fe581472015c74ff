"""Runs the ``remotes`` command as ``python -m remotes_client``."""

import sys

from remotes_client.command import main

sys.exit(main())
