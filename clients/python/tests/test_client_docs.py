"""What the documentation shows is what there is."""

import re
from pathlib import Path

import pytest

import build_client
from remotes_client import __version__
from remotes_client.files import load_remotes

README = build_client.HERE / "README.md"
REFERENCE = build_client.HERE.parents[1] / "docs" / "clients.md"


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)


def test_the_readme_shows_the_starter_file_in_full():
    starter = (build_client.PACKAGE / "starter.py").read_text(encoding="utf-8")
    assert python_blocks(README) == [starter]


@pytest.mark.parametrize(("block", "functions"), [(0, ["add", "ring"]), (1, ["copy_files"])])
def test_the_examples_of_the_reference_can_be_served(tmp_path, block, functions):
    file = tmp_path / "example.py"
    file.write_text(python_blocks(REFERENCE)[block], encoding="utf-8")
    (remote,) = load_remotes(file)
    assert list(remote.functions) == functions


def test_the_reference_names_the_wheel_of_this_version():
    assert f"remotes_client-{__version__}-py3-none-any.whl" in REFERENCE.read_text(encoding="utf-8")
