"""The project's settings for tests: nothing of this machine's environment, and a new data folder.

Static files keep their plain names, so that pages render without collecting them first, and
passwords are hashed quickly. Everything else is as it is served.
"""

import os
import tempfile
from pathlib import Path

for name in list(os.environ):
    if name.startswith(("REMOTES_", "OPENAI_")):
        del os.environ[name]

_folder = tempfile.TemporaryDirectory(prefix="remotes-tests-")
os.environ["REMOTES_DATA_DIR"] = _folder.name

from remotes_project.settings import *  # noqa: E402, F403
from remotes_project.settings import DATABASES, STORAGES  # noqa: E402

(Path(_folder.name) / "static").mkdir()
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# A file, since the tables of a shared database in memory are locked as a whole.
DATABASES["default"]["TEST"] = {"NAME": Path(_folder.name) / "test.sqlite3"}
