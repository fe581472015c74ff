"""Makes the client and the scripted server importable, wherever pytest was started."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "src", HERE.parent, HERE):
    sys.path.insert(0, str(folder))

from scripted_server import bench, server  # noqa: E402 - it stands beside this file

__all__ = ["bench", "server"]
