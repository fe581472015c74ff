"""Loads what a Python file offers, and writes the file that a beginner starts from."""

import importlib.util
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from remotes_client.console import complain
from remotes_client.errors import FileError
from remotes_client.hints import HintError
from remotes_client.remote import Remote


def write_starter(path: Path) -> None:
    """Write the starter file to ``path``.

    Raises:
        FileError: The path is no place for a Python file.
    """
    if path.suffix != ".py":
        raise FileError(f"There is no file {path}, and a new one needs a name that ends in .py.")
    text = pkgutil.get_data("remotes_client", "starter.py") or b""
    try:
        path.write_bytes(text)
    except OSError as error:
        raise FileError(f"{path} can't be written: {error.strerror}.") from error


def load_remotes(path: Path, name: str | None = None) -> list[Remote]:
    """The remotes that a file creates, else one of its public functions, named after the file.

    Args:
        path: A Python file, which is run.
        name: What the remote is to be called, if not as the file says.

    Raises:
        FileError: The file can't be read or run, or holds nothing to serve.
    """
    module = _load(path)
    remotes = list({id(r): r for r in vars(module).values() if isinstance(r, Remote)}.values())
    if not remotes:
        remotes = [_remote_of(module, path)]
    if name is not None and len(remotes) > 1:
        raise FileError(f"{path} creates {len(remotes)} remotes, so --name can't name them.")
    for remote in remotes:
        remote.name = name or remote.name
        if not remote.functions:
            raise FileError(f"{path} has no public function to serve.")
    return remotes


def _remote_of(module: ModuleType, path: Path) -> Remote:
    remote = Remote(path.stem)
    for function in _public_functions(module):
        try:
            remote.function(function)
        except HintError as error:
            complain(f"{function.__name__} is not served: {error}.")
    return remote


def _public_functions(module: ModuleType) -> Iterator[Any]:
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == module.__name__
        if is_own and inspect.isroutine(value) and name == value.__name__ and name[0] != "_":
            yield value


def _load(path: Path) -> ModuleType:
    # Under its bare name a file such as json.py would stand in for the library's module.
    name = f"served_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None or not path.is_file():
        raise FileError(f"{path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.absolute()))
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        file = path if error.filename == str(path.absolute()) else error.filename
        raise FileError(f"{file}, line {error.lineno}: {error.msg}.") from error
    except (Exception, SystemExit) as error:  # the file may do anything while it loads
        raise FileError(_load_failure(path, error)) from error
    return module


def _load_failure(path: Path, error: BaseException) -> str:
    trace = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in trace if Path(frame.filename) == path.absolute()]
    place = f", line {lines[-1]}" if lines else ""
    return f"{path}{place} can't be loaded: {type(error).__name__}: {error}"
