"""The Python client as files that this server hands out: one that runs as it is, and a wheel."""

import functools
import subprocess
import sys
from pathlib import Path

from django.conf import settings

BUILD_TIMEOUT = 60  # seconds


@functools.cache
def built() -> dict[str, Path]:
    """The client's files by name, built once for this process.

    Raises:
        subprocess.CalledProcessError: The build failed; its output is in the server's log.
    """
    target = Path(settings.REMOTES_DATA_DIR) / "client"
    target.mkdir(exist_ok=True)
    for old in target.iterdir():
        old.unlink()
    script = settings.BASE_DIR / "clients" / "python" / "build_client.py"
    command = [sys.executable, str(script), str(target)]
    subprocess.run(  # noqa: S603 - our own script
        command, check=True, timeout=BUILD_TIMEOUT, stdout=subprocess.DEVNULL
    )
    return {path.name: path for path in target.iterdir()}
