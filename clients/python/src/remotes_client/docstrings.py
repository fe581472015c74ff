"""Reads what a docstring says about each parameter, in Google, NumPy or reST style."""

import inspect
import re
import textwrap
from collections.abc import Iterable

_SECTIONS = {"args", "arguments", "attributes", "keyword args", "keyword arguments"} | {
    "other parameters",
    "parameters",
    "params",
}
_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)(?:\s*\(.*?\))?\s*:\s*(.*)")
_NUMPY_ENTRY = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?")
_REST_FIELD = re.compile(
    r":(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\\?\*{0,2}(\w+)\s*:\s*(.*)"
)
_REST_TYPE = re.compile(r":type\s+\w+\s*:.*")


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """The docstring without its parameter sections, and what these say of each parameter."""
    lines = inspect.cleandoc(text or "").splitlines()
    found: dict[str, str] = {}
    for take_out in (_take_google, _take_numpy, _take_rest):
        lines = take_out(lines, found)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip(), found


def _take_google(lines: list[str], found: dict[str, str]) -> list[str]:
    kept: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.endswith(":") and line[:-1].lower() in _SECTIONS:
            end = _block_end(lines, position)
            _read_entries(lines[position:end], found)
            position = end
        else:
            kept.append(line)
    return kept


def _block_end(lines: list[str], start: int) -> int:
    """Where the indented block that begins at ``start`` ends."""
    return next(
        (at for at in range(start, len(lines)) if lines[at].strip() and not lines[at][0].isspace()),
        len(lines),
    )


def _read_entries(block: list[str], found: dict[str, str]) -> None:
    for head, body in _entries(textwrap.dedent("\n".join(block)).splitlines()):
        entry = _GOOGLE_ENTRY.fullmatch(head)
        if entry:
            found[entry[1]] = _joined([entry[2], *body])


def _entries(lines: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Each unindented line with the indented lines that follow it."""
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            entries.append((line, []))
        elif entries:
            entries[-1][1].append(line)
    return entries


def _take_numpy(lines: list[str], found: dict[str, str]) -> list[str]:
    starts = [at for at in range(len(lines) - 1) if _is_underlined(lines, at)]
    kept = lines[: starts[0]] if starts else lines
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        if lines[start].lower() not in _SECTIONS:
            kept += lines[start:end]
            continue
        for head, body in _entries(lines[start + 2 : end]):
            entry = _NUMPY_ENTRY.fullmatch(head)
            if entry:
                names = [name.strip(" *") for name in entry[1].split(",")]
                found.update(dict.fromkeys(names, _joined(body)))
    return kept


def _is_underlined(lines: list[str], at: int) -> bool:
    return bool(lines[at].strip()) and re.fullmatch("-{3,}", lines[at + 1].strip()) is not None


def _take_rest(lines: list[str], found: dict[str, str]) -> list[str]:
    kept: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        field = _REST_FIELD.fullmatch(line)
        if field:
            end = _block_end(lines, position)
            found[field[1]] = _joined([field[2], *lines[position:end]])
            position = end
        elif not _REST_TYPE.fullmatch(line):
            kept.append(line)
    return kept


def _joined(lines: Iterable[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())
