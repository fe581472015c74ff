"""That a browser gets the page's modules under names that change with their content."""

import json
import re
from pathlib import Path

from tests.support.commands import manage

HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")
IMPORT = re.compile(r"""(?:from|import|import\()\s*["'](\.[^"']+)["']""")


def test_every_module_imports_the_others_by_hashed_names(tmp_path: Path) -> None:
    done = manage(tmp_path, "collectstatic", "--no-input", "--verbosity", "0")
    assert done.returncode == 0, done.stderr
    static = tmp_path / "static"
    names: dict[str, str] = json.loads((static / "staticfiles.json").read_text())["paths"]
    modules = [
        static / hashed
        for name, hashed in names.items()
        if name.startswith(("chat/", "client/")) and name.endswith(".js")
    ]
    imports = [
        (module, (module.parent / target).resolve())
        for module in modules
        for target in IMPORT.findall(module.read_text())
    ]
    assert len(imports) > len(modules) / 2
    wrong = [
        f"{module.name}: {target}"
        for module, target in imports
        if not HASHED.search(target.name) or not target.is_file()
    ]
    assert wrong == []
