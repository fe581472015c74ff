"""What a server hands out: `remotes.pyz` and the wheel."""

import zipfile

import build_client
from remotes_client import __version__


def test_the_one_file_has_the_same_bytes_whenever_it_is_built(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    one, two = build_client.build_pyz(first), build_client.build_pyz(second)
    assert one.name == "remotes.pyz"
    assert one.read_bytes() == two.read_bytes()


def test_the_one_file_holds_plain_python_and_the_license_of_what_it_brings_along(tmp_path):
    names = zipfile.ZipFile(build_client.build_pyz(tmp_path)).namelist()
    others = [name for name in names if not name.endswith(".py")]
    assert others == ["websockets/LICENSE"]
    assert "remotes_client/starter.py" in names
    assert not [name for name in names if "legacy" in name or "asyncio/server" in name]


def test_the_wheel_can_be_installed_anywhere_and_brings_the_command(tmp_path):
    wheel = build_client.build_wheel(tmp_path)
    assert wheel.name == f"remotes_client-{__version__}-py3-none-any.whl"
    archive = zipfile.ZipFile(wheel)
    folder = f"remotes_client-{__version__}.dist-info"
    assert (
        "remotes=remotes_client.command:main" in archive.read(f"{folder}/entry_points.txt").decode()
    )
    metadata = archive.read(f"{folder}/METADATA").decode()
    assert "Requires-Dist: websockets>=15" in metadata
    assert "Requires-Python: >=3.10" in metadata
    assert "remotes_client/starter.py" in archive.namelist()
