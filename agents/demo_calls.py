"""How the demo model finds in a message which functions to call, and with which arguments."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

VAGUE_MATCH = 2  # words that a message shares with the one function that it may mean
FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a about all an and at by can could do for from get give how i in is it me my of on please "
        "show tell that the then this to use what which with you your",
    )
)
"""Words that are no values at the ends of a message, and that say nothing about a function."""

_SEPARATOR = r"[\s_.\-/]*"
_QUOTED = r'"(?:\\.|[^"\\])*"|(?<!\w)\'[^\']*\'(?!\w)'
_ASSIGNED = re.compile(rf"(\w+)\s*=\s*({_QUOTED}|\S+)")
_OPAQUE = re.compile(rf"\w+\s*=\s*(?:{_QUOTED}|\S+)|{_QUOTED}")


@dataclass(frozen=True, slots=True)
class Function:
    """A function as the request's ``tools`` tell of it."""

    tool: str
    """The name to call it by."""
    name: str
    remotename: str
    description: str
    parameters: Mapping[str, Any]

    @property
    def required(self) -> list[str]:
        """The names of the parameters that must be given."""
        return [name for name in self.parameters.get("required", []) if name in self.properties]

    @property
    def properties(self) -> dict[str, Any]:
        """The schemas of its parameters by name."""
        found = self.parameters.get("properties", {})
        return {name: schema if isinstance(schema, dict) else {} for name, schema in found.items()}


@dataclass(frozen=True, slots=True)
class Mention:
    """A function that a message names or means, with the arguments that the message gives."""

    function: Function
    args: dict[str, Any]
    whole: bool = False
    """Whether the arguments were given as one JSON object, to be taken as it is."""

    @property
    def tool(self) -> str:
        """The name to call it by."""
        return self.function.tool

    @property
    def missing(self) -> list[str]:
        """The parameters that it needs and that the message does not give."""
        required = [] if self.whole else self.function.required
        return [name for name in required if name not in self.args]


def functions_in(tools: Sequence[Mapping[str, Any]]) -> list[Function]:
    """The functions that a request offers; their real names stand at their descriptions' end."""
    return [_function(tool["function"]) for tool in tools]


def mentions(message: str, functions: Sequence[Function]) -> list[Mention]:
    """The calls that ``message`` asks for by naming functions, in the order of their names."""
    plain = _masked(message)
    spans = _spans(plain, functions)
    starts = [start for start, _, _ in spans]
    found = []
    for (_, end, named), until in zip(spans, [*starts[1:], len(message)], strict=False):
        for function in _on_named_remotes(named, plain[end:until], plain):
            found.append(_mention(function, message[end:until]))
    return found


def meant(message: str, functions: Sequence[Function]) -> list[Mention]:
    """The call of the function whose description has most words of ``message``, if one has."""
    words = _words(message)
    shared = [len(words & _words(f"{each.name} {each.description}")) for each in functions]
    best = max(shared, default=0)
    wanted = 1 if len(functions) == 1 else VAGUE_MATCH
    if best < wanted or shared.count(best) > 1:
        return []
    return [_mention(functions[shared.index(best)], message, loose=True)]


def _function(entry: Mapping[str, Any]) -> Function:
    description = entry.get("description", "")
    origin = re.search(r"\s*\((\S+) on ([^()]+)\)$", description)
    remotename, _, name = entry["name"].rpartition("__")
    if origin:
        name, remotename, description = origin[1], origin[2], description[: origin.start()]
    return Function(entry["name"], name, remotename, description, entry.get("parameters", {}))


# Names


def _masked(message: str) -> str:
    """``message`` with blanks where values stand, in which no function is named."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match[0])

    return _OPAQUE.sub(blank, message)


def _spans(plain: str, functions: Sequence[Function]) -> list[tuple[int, int, list[Function]]]:
    """Where functions are named: start, end and those of that name; the longest names win."""
    found: dict[tuple[int, int], list[Function]] = {}
    for function in functions:
        name = _pattern(function.name)
        full = rf"@?{_pattern(function.remotename)}{_SEPARATOR}{name}"
        for match in _finditer(full, plain) + _finditer(name, plain):
            found.setdefault(match.span(), []).append(function)
    chosen: list[tuple[int, int, list[Function]]] = []
    for start, end in sorted(found, key=lambda span: (span[0] - span[1], span)):
        if all(end <= other[0] or start >= other[1] for other in chosen):
            chosen.append((start, end, found[start, end]))
    return sorted(chosen, key=lambda span: span[:2])


def _on_named_remotes(named: list[Function], segment: str, message: str) -> list[Function]:
    """Of functions with one name, those on the remotes that are named, else the first."""
    for text in (segment, message):
        chosen = [each for each in named if _finditer(_pattern(each.remotename), text)]
        if chosen:
            return chosen
    return named[:1]


def _without_remote(text: str, function: Function) -> str:
    remote = _pattern(function.remotename)
    return re.sub(
        rf"(?:\b(?:on|from|at|with|via|in)\s+)?(?:\b(?:my|the)\s+)?@?{_bounded(remote)}",
        " ",
        text,
        flags=re.IGNORECASE,
    )


def _pattern(name: str) -> str:
    """A pattern for ``name``, its words apart or together: ``diskFree`` is also "disk free"."""
    words = re.findall(r"[A-Z]?[^\W_A-Z]+|[A-Z]+", name) or [name]
    return _SEPARATOR.join(re.escape(word) for word in words)


def _bounded(pattern: str) -> str:
    return rf"(?<![^\W_]){pattern}(?![^\W_])"


def _finditer(pattern: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(_bounded(pattern), text, re.IGNORECASE))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.lower()) if word not in FILLERS}


# Arguments


def _mention(function: Function, text: str, loose: bool = False) -> Mention:
    """``function`` with what ``text`` gives for its parameters.

    A JSON object, else ``name=value`` pairs and then values in the order of the parameters. With
    ``loose`` the text is a sentence, of which only what looks like a value is taken for one.
    """
    text = _without_remote(text, function)
    for start, end in _json_objects(text):
        return Mention(function, json.loads(text[start:end]), whole=True)
    return Mention(function, _arguments(text, function, loose))


def _arguments(text: str, function: Function, loose: bool) -> dict[str, Any]:
    schemas = function.properties
    args: dict[str, Any] = {}
    for name, value in _ASSIGNED.findall(text):
        if name in schemas:
            args[name] = _coerced(_unquoted(value), schemas[name])
    rest = _ASSIGNED.sub(" ", text)
    quoted = [_unquoted(value) for value in re.findall(_QUOTED, rest)]
    values = _Values(quoted, _bare(re.sub(_QUOTED, " ", rest)), loose)
    needed = [name for name in function.required if name not in args]
    for name, schema in schemas.items():
        if name not in args:
            taken = values.take(schema, name in needed, name == next(reversed(needed), None))
            args |= {} if taken is None else {name: _coerced(taken, schema)}
    return args


class _Values:
    """The values in a message that have no name, used up one by one."""

    def __init__(self, quoted: list[str], bare: list[str], loose: bool) -> None:
        self._quoted = quoted
        self._bare = bare
        self._loose = loose

    def take(self, schema: Mapping[str, Any], required: bool, last: bool) -> str | None:
        """The value for a parameter, if there is one that fits it.

        A word counts for text only where the function needs one, and then the last such parameter
        gets all words that are left.
        """
        for values in (self._bare, self._quoted):
            fitting = [value for value in values if _fits(value, schema)]
            if fitting:
                values.remove(fitting[0])
                return fitting[0]
        if _kind(schema) != "string" or "enum" in schema:
            return None
        if self._quoted:
            return self._quoted.pop(0)
        if required and self._bare and not self._loose:
            taken = self._bare if last else self._bare[:1]
            self._bare = self._bare[len(taken) :]
            return " ".join(taken)
        return None


def _fits(value: str, schema: Mapping[str, Any]) -> bool:
    """Whether ``value`` looks like what the schema wants, and like nothing else."""
    if "enum" in schema:
        return value in [str(choice) for choice in schema["enum"]]
    match _kind(schema):
        case "integer":
            return re.fullmatch(r"[+-]?\d+", value) is not None
        case "number":
            return re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", value) is not None
        case "boolean":
            return value.lower() in ("true", "false")
        case "array" | "object":
            return value[:1] in ("[", "{")
        case _:
            return re.search(r"^[~/]|[\w~][/\\.]\w", value) is not None


def _coerced(value: str, schema: Mapping[str, Any]) -> Any:
    """``value`` as the JSON type that the schema wants, or as it is if it cannot be that."""
    kind = _kind(schema)
    if kind == "string":
        return value
    try:
        return json.loads(value.lower() if kind == "boolean" else value)
    except ValueError:
        return value.split(",") if kind == "array" else value


def _kind(schema: Mapping[str, Any]) -> str:
    """The schema's type; of several, the first that is not null."""
    kinds = schema.get("type") or [each.get("type") for each in schema.get("anyOf", [])]
    names = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return names[0] if names and isinstance(names[0], str) else "string"


def _bare(text: str) -> list[str]:
    """The words of ``text`` without fillers around them and without the sentence's end."""
    words = [word for word in re.split(r"[\s`]+", text.strip().rstrip("?!.")) if word]
    words = [word.strip(",;:") or word for word in words]
    while words and words[0].lower() in FILLERS:
        words = words[1:]
    while words and words[-1].lower() in FILLERS:
        words = words[:-1]
    return words


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value.rstrip(",;")


def _json_objects(text: str) -> list[tuple[int, int]]:
    """Where JSON objects stand in ``text``."""
    found: list[tuple[int, int]] = []
    start = text.find("{")
    while start >= 0:
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except ValueError:
            end = start + 1
        else:
            found.append((start, end))
        start = text.find("{", end)
    return found
