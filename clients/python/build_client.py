"""Builds what a server hands out: `remotes.pyz`, one file that runs anywhere, and the wheel.

Needs flit_core and an installed websockets; changes nothing outside the target folder.
"""

import importlib.metadata
import importlib.util
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from flit_core.wheel import make_wheel_in

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src" / "remotes_client"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes, whenever they are built
PYTHON_FILE = 0o100644 << 16  # a zip entry's mode
# What a client never imports. The C extension is left out by taking only Python files.
UNUSED = {
    "__main__.py",
    "auth.py",
    "cli.py",
    "connection.py",
    "legacy",
    "server.py",
    "sync",
    "trio",
    "asyncio/router.py",
    "asyncio/server.py",
}
# Also Pythons that are too old read this part, so it is plain.
MAIN = b"""import os
import sys

if sys.version_info < (3, 10):
    sys.exit("remotes.pyz needs Python 3.10 or newer; this is Python %d.%d." % sys.version_info[:2])

# A function may change the folder, and modules are still read from this file after that.
sys.path[0] = os.path.abspath(sys.path[0])

from remotes_client.command import main

sys.exit(main())
"""


def build_pyz(target_dir: Path) -> Path:
    """Write ``remotes.pyz``, the client with all it needs, and return its path.

    Args:
        target_dir: An existing folder.
    """
    target = target_dir / "remotes.pyz"
    with target.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(_contents()):
                entry = zipfile.ZipInfo(name, EPOCH)
                entry.external_attr = PYTHON_FILE
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    target.chmod(0o755)
    return target


def build_wheel(target_dir: Path) -> Path:
    """Write ``remotes_client-<version>-py3-none-any.whl`` and return its path.

    Args:
        target_dir: An existing folder.
    """
    return Path(make_wheel_in(HERE / "pyproject.toml", target_dir).file)


def _contents() -> Iterator[tuple[str, bytes]]:
    """Each file of the archive, by its name there."""
    yield "__main__.py", MAIN
    for path in PACKAGE.rglob("*.py"):
        yield f"remotes_client/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()
    yield "websockets/LICENSE", _websockets_license()
    for name, content in _websockets():
        yield f"websockets/{name}", content


def _websockets() -> Iterator[tuple[str, bytes]]:
    spec = importlib.util.find_spec("websockets")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("websockets is not installed")
    root = Path(spec.submodule_search_locations[0])
    for path in root.rglob("*.py"):
        name = path.relative_to(root).as_posix()
        if name not in UNUSED and name.partition("/")[0] not in UNUSED:
            yield name, path.read_bytes()


def _websockets_license() -> bytes:
    files = importlib.metadata.files("websockets") or []
    license = next(file for file in files if file.name.startswith("LICENSE"))
    return license.read_binary()


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "dist"
    folder.mkdir(parents=True, exist_ok=True)
    for built in (build_pyz(folder), build_wheel(folder)):
        print(built)
