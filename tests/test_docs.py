"""The pages under docs/ say what the code does: every name in one stands in the other."""

import ast
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

from chat import wire
from chat.models import Message, Resource, Run, Thread
from gateway import frames
from gateway.actions import Action, Scope, registry
from gateway.exceptions import ActionError
from gateway.limits import Limits, announced
from gateway.wire import CallStatus, call_object
from remotes.functions import Definition

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
APPS = ("gateway", "remotes", "chat", "agents", "remotes_project")
PROTOCOL = (DOCS / "protocol.md").read_text()
ARCHITECTURE = (DOCS / "architecture.md").read_text()

Row = list[str]


# Reading the pages


def sections(page: str) -> dict[str, str]:
    """Each heading's own text, by the heading without its signs."""
    parts = re.split(r"^#{2,4} (.+)$", page, flags=re.MULTILINE)
    return {
        name.replace("`", ""): body for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


SECTIONS = sections(PROTOCOL)


def table(body: str, first: str) -> list[Row]:
    """The rows of the table whose first column is called ``first``; none where there is no such."""
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            break
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line[1:-1].split("|")])
    return rows


def names(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def first_names(body: str, column: str) -> set[str]:
    return {name for row in table(body, column) for name in names(row[0])}


# Reading the code


def sources() -> Iterator[Path]:
    """The server's own modules."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def codes(kind: type[ActionError] = ActionError) -> set[str]:
    """Every code in the tree of errors."""
    found = {kind.code} if "code" in vars(kind) else set()
    return found.union(*(codes(each) for each in kind.__subclasses__()))


TELLING = {"post", "publish", "tell", "tell_user", "_show", "_tell_call"}


def events() -> set[str]:
    """Every event that the source tells anyone, by the calls that do so."""
    found: set[str] = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                found.update(_event_names(node))
    return found


def _event_names(node: ast.Call) -> list[str]:
    called = ast.unparse(node.func)
    if called == "frames.encode_error":
        return ["error"]
    if called != "frames.encode" and called.rpartition(".")[2] not in TELLING:
        return []
    texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
    return [text for text in texts if isinstance(text, str)]


def close_codes() -> set[str]:
    texts = [path.read_text() for path in sources()]
    return {code for text in texts for code in re.findall(r"^[A-Z_]+ = (4\d{3})$", text, re.M)}


WORDS: dict[type[inspect.Type], set[str]] = {
    inspect.StrType: {"string"},
    inspect.LiteralType: {"string"},
    inspect.IntType: {"integer"},
    inspect.FloatType: {"number"},
    inspect.BoolType: {"boolean"},
    inspect.DictType: {"object"},
    inspect.StructType: {"object"},
    inspect.AnyType: {"any"},
    inspect.RawType: {"object", "any"},
}
"""How the tables call a type; JSON that is passed on untouched has the type its reader wants."""


def kind_of(type_: inspect.Type) -> inspect.Type:
    """``type_`` without what says that it may be null or absent."""
    if isinstance(type_, inspect.UnionType):
        (type_,) = [each for each in type_.types if not isinstance(each, inspect.NoneType)]
    return type_


def words_for(type_: inspect.Type) -> set[str]:
    if isinstance(type_, inspect.ListType):
        strings = isinstance(type_.item_type, inspect.StrType)
        return {"array of strings" if strings else "array of objects"}
    return WORDS[type(type_)]


def bounds_of(type_: inspect.Type) -> list[str]:
    """The upper bounds that a field's value is checked against, as numbers."""
    found = (getattr(type_, name, None) for name in ("max_length", "le"))
    return [f"{bound:g}" if bound < 1000 else str(bound) for bound in found if bound is not None]


def fields(struct: Any, prefix: str = "") -> Iterator[tuple[str, inspect.Field]]:
    """Every field of a payload by its name on the wire, those of objects inside it as well."""
    for field in struct.fields:
        yield prefix + field.encode_name, field
        kind = kind_of(field.type)
        if isinstance(kind, inspect.StructType):
            yield from fields(kind, f"{prefix}{field.encode_name}.")
        elif isinstance(kind, inspect.ListType) and isinstance(kind.item_type, inspect.StructType):
            yield from fields(kind.item_type, f"{prefix}{field.encode_name}[].")


def assert_fields_documented(struct: type[msgspec.Struct], section: str) -> None:
    told = {names(row[0])[0]: row for row in table(SECTIONS[section], "Field")}
    known = dict(fields(inspect.type_info(struct)))
    assert list(told) == list(known)
    for name, field in known.items():
        _, kind, required, meaning = told[name]
        assert kind in words_for(kind_of(field.type)), name
        assert required == ("yes" if field.required else "no"), name
        for bound in bounds_of(kind_of(field.type)):
            assert re.search(rf"\b{bound}\b", meaning), f"{name}: {bound}"


# The protocol


@pytest.mark.parametrize("entry", registry.values(), ids=registry)
def test_every_action_has_its_section_with_its_payload(entry: Action) -> None:
    assert entry.name in SECTIONS
    assert_fields_documented(entry.payload, entry.name)


def test_a_functions_definition_is_documented() -> None:
    assert_fields_documented(Definition, "Functions")


def served(entry: Action) -> str:
    if entry.inline:
        return "at once"
    return "in order" if entry.ordered else "side by side"


@pytest.mark.parametrize("entry", registry.values(), ids=registry)
def test_every_action_says_its_scope_and_how_it_is_served(entry: Action) -> None:
    scope = f"`{entry.scope}`" if entry.scope else "none"
    assert f"\nScope: {scope}. Served: {served(entry)}.\n" in SECTIONS[entry.name]


def test_the_overviews_of_scopes_and_of_order_name_every_action() -> None:
    entries = registry.values()
    scopes = table(SECTIONS["Token scopes"], "Scope")
    assert {names(row[0])[0]: set(names(row[1])) for row in scopes} == {
        scope.value: {entry.name for entry in entries if entry.scope == scope} for scope in Scope
    }
    order = table(SECTIONS["The order in which requests are served"], "Served")
    assert {row[0]: set(names(row[1])) for row in order} == {
        way: {entry.name for entry in entries if served(entry) == way}
        for way in map(served, entries)
    }


def test_the_table_of_codes_holds_those_of_the_tree_and_no_others() -> None:
    told = [name for row in table(SECTIONS["Error codes"], "Code") for name in names(row[0])]
    assert len(told) == len(set(told))
    assert set(told) == codes()


@pytest.mark.parametrize("action", registry)
def test_the_errors_of_an_action_are_codes(action: str) -> None:
    told = re.findall(r"^\*\*Errors\*\* (.+?)(?:\n\n|\Z)", SECTIONS[action], re.M | re.S)
    assert told or action in ("ping", "pong")
    for line in told:
        outside_brackets = re.sub(r"\([^)]*\)", "", line)
        assert set(names(outside_brackets)) - {"error"} <= codes()


def test_every_event_that_is_told_is_documented_and_no_other() -> None:
    assert first_names(SECTIONS["Events"], "Event") == events()


def test_every_close_code_is_documented_and_no_other() -> None:
    told = {row[0] for row in table(SECTIONS["The end of a connection"], "Code")}
    assert told == close_codes()
    assert set(re.findall(r"\b4\d{3}\b", PROTOCOL)) == told


def test_every_limit_is_documented_with_its_default() -> None:
    rows = table(SECTIONS["Limits"], "In `welcome`")
    told = {names(row[1])[0]: float(row[2]) for row in rows}
    assert told == {name: float(value) for name, value in msgspec.structs.asdict(Limits()).items()}
    assert [name for row in rows for name in names(row[0])] == list(announced())


def test_no_word_of_the_protocol_is_made_up() -> None:
    """Whatever looks like an action, an event, a code or a status is one."""
    rows = table(SECTIONS["Reserved for later"], "Name")
    reserved = {names(row[0])[0].split()[0] for row in rows}
    assert not reserved & set(registry)
    known = {*registry, *events(), *codes(), *get_args(CallStatus), *reserved}
    assert set(re.findall(r"`([a-z]+(?:-[a-z]+)+)\b", PROTOCOL)) <= known


LONG = f'"{"x" * 20_000}"'


@pytest.mark.parametrize(
    ("section", "least", "most"),
    [
        ("Thread", wire.thread(Thread(), []), wire.thread(Thread(model="m"), [])),
        (
            "Message",
            wire.message(Message(), [], []),
            wire.message(
                Message(reasoning="r", error="e", model="m", usage={"total": 1}, history_from="i"),
                [],
                [],
            ),
        ),
        (
            "Call",
            call_object("c", "r", "f", "{}", status="running"),
            call_object(
                *("c", "r", "f", LONG),
                status="error",
                result=LONG,
                error=LONG,
                code="internal",
                duration=1.0,
                progress={},
            ),
        ),
        ("Run", wire.run(Run()), wire.run(Run(error="e"))),
        ("Resource", wire.resource(Resource()), wire.resource(Resource())),
    ],
)
def test_the_keys_of_every_object_are_documented(
    section: str, least: dict[str, object], most: dict[str, object]
) -> None:
    rows = table(SECTIONS[section], "Key")
    told = {names(row[0])[0]: row[1].startswith("*Optional.*") for row in rows}
    assert told == {name: name not in least for name in most}


# The examples


def examples(page: str = PROTOCOL) -> Iterator[tuple[str, str, str]]:
    """Who sends or gets which frame, in the order of the page."""
    for found in re.finditer(r"^```json (\w+) (sends|gets)\n(.*?)^```$", page, re.M | re.S):
        yield found[1], found[2], found[3]


def test_every_frame_that_an_example_sends_is_a_good_request() -> None:
    sent = [text for _, verb, text in examples() if verb == "sends"]
    assert sent
    for text in sent:
        frame = frames.decode(text)
        frames.payload_of(frame, registry[frame.action].payload)


def test_every_frame_that_an_example_gets_is_one_that_the_server_sends() -> None:
    got = [json.loads(text) for _, verb, text in examples() if verb == "gets"]
    assert got
    for frame in got:
        if frame["action"] == "error":
            assert frame["payload"]["code"] in codes()
        elif "id" in frame:
            assert frame["action"] in {entry.reply for entry in registry.values()}
        else:
            assert frame["action"] in events()


@pytest.mark.parametrize(
    ("section", "action", "way"),
    [
        ("Welcome", "welcome", []),
        ("Errors", "error", []),
        ("remote-list", "remote-list", ["remotes", 0]),
        ("remote-call", "remote-call", []),
    ],
)
def test_what_the_examples_get_is_explained(
    section: str, action: str, way: list[str | int]
) -> None:
    """The examples are compared with a real server's frames; so are, thereby, these tables."""
    got = [json.loads(text) for _, verb, text in examples() if verb == "gets"]
    values = [frame["payload"] for frame in got if frame["action"] == action]
    for step in way:
        values = [value[step] for value in values]
    told = [name for row in table(SECTIONS[section], "Key") for name in names(row[0])]
    assert set(told) == set[str]().union(*values)


# The house


def test_every_path_that_the_architecture_names_exists() -> None:
    paths = re.findall(r"`([\w.-]+/[\w./-]*)`", ARCHITECTURE)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_module_of_the_server_has_its_line_in_the_architecture() -> None:
    modules = {
        str(path.relative_to(ROOT))
        for path in sources()
        if path.name != "__init__.py" and "management" not in path.parts
    }
    told = {name for name in first_names_of_all_tables(ARCHITECTURE) if name.endswith(".py")}
    assert told & modules == modules


def first_names_of_all_tables(page: str) -> set[str]:
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")]
    return {name for cell in rows for name in names(cell)}


def test_every_dotted_name_in_the_architecture_is_there() -> None:
    dotted = re.findall(rf"`((?:{'|'.join(APPS)})(?:\.\w+)+)(?:\(\))?`", ARCHITECTURE)
    found = [name for name in dotted if not name.endswith(".py")]
    assert found
    for name in found:
        assert pkgutil.resolve_name(name) is not None


def anchors(page: str) -> set[str]:
    """The anchors that a page's headings have on the usual hosts of repositories."""
    headings = re.findall(r"^#{1,4} (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("doc", sorted(DOCS.rglob("*.md")), ids=lambda doc: doc.name)
def test_every_link_between_the_pages_leads_somewhere(doc: Path) -> None:
    for target in re.findall(r"\]\((?!\w+:)([^)]+)\)", doc.read_text()):
        path, _, anchor = target.partition("#")
        there = (doc.parent / path).resolve() if path else doc
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text()), target
