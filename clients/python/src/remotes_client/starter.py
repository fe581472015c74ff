"""What the agent may do on this computer.

Every function here is served under its own name. The agent reads its docstring and the hints of
its parameters. Write your own, then end the program with Ctrl+C and start it again.
"""

import shutil
from pathlib import Path

from remotes_client import confirm

NOTES = Path.home() / "notes-from-the-agent.txt"


def disk_free(folder: str = "~") -> dict[str, float]:
    """Tell how much room is left on a disk, in gigabytes.

    Args:
        folder: A folder on that disk; ~ is the home folder.
    """
    usage = shutil.disk_usage(Path(folder).expanduser())
    return {"free": round(usage.free / 1e9, 1), "total": round(usage.total / 1e9, 1)}


def list_folder(folder: str = "~", pattern: str = "*") -> list[str]:
    """List what a folder holds, at most 200 names in alphabetical order.

    Args:
        folder: The folder; ~ is the home folder.
        pattern: Which names to list, such as *.pdf.
    """
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise ValueError(f"there is no folder {place}")
    return sorted(path.name for path in place.glob(pattern))[:200]


@confirm  # you approve each call on the page before it runs
def add_note(text: str) -> str:
    """Add a line to the notes that the user keeps for the agent, and return the file's place."""
    with NOTES.open("a", encoding="utf-8") as notes:
        notes.write(text + "\n")
    return str(NOTES)
