"""The Python client as files that this server hands out: one that runs as it is, and a wheel."""

import atexit
import functools
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from django.conf import settings

BUILD_TIMEOUT = 60  # seconds


_building = threading.Lock()


def built() -> dict[str, Path]:
    """The client's files by name, built once for this process.

    Raises:
        subprocess.CalledProcessError: The build failed; its output is in the server's log.
    """
    with _building:
        return _built()


@functools.cache
def _built() -> dict[str, Path]:
    target = Path(tempfile.mkdtemp(prefix="remotes-client-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    script = settings.BASE_DIR / "clients" / "python" / "build_client.py"
    command = [sys.executable, str(script), str(target)]
    subprocess.run(  # noqa: S603 - our own script
        command, check=True, timeout=BUILD_TIMEOUT, stdout=subprocess.DEVNULL
    )
    return {path.name: path for path in target.iterdir()}
