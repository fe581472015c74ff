"""Several endpoints in one setting: what it says, and the sentence where it says nothing usable."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from django.conf import settings

from agents import catalog, configuration
from agents.configuration import EndpointEntry, File, ModelEntry
from agents.endpoints import ModelError
from tests.support.commands import ROOT, manage

DOCS = (ROOT / "docs" / "models.md").read_text()

TWO = """
default = "gate/small"

[endpoints.home]
base_url = "http://127.0.0.1:11434/v1"
timeout = 300

[endpoints.home.models."qwen*"]
window = 8192
reasoning_back = true

[endpoints.home.models."*"]
window = 4096
images = true

[endpoints.gate]
api_key_env = "GATE_KEY"
list = false

[endpoints.gate.models.small]
[endpoints.gate.models."large"]
window = 200000
"""


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two endpoints, as text."""
    monkeypatch.setenv("REMOTES_MODELS", TWO)
    monkeypatch.setenv("GATE_KEY", "sk-gate")


async def test_the_thread_chooses_among_the_models_of_all_endpoints(two: None) -> None:
    for wanted, name, endpoint in [
        (None, "small", "gate"),
        ("home/qwen3:8b", "qwen3:8b", "home"),
        ("large", "large", "gate"),
        ("gate/other", "other", "gate"),
        ("demo", "demo", "built-in"),
    ]:
        model = await catalog.choose(wanted)
        assert (model.name, model.endpoint.title) == (name, endpoint)


async def test_the_first_pattern_that_says_something_counts(two: None) -> None:
    qwen, other = await catalog.choose("home/qwen3:8b"), await catalog.choose("home/gemma")
    assert (qwen.window, qwen.images, qwen.wants_reasoning) == (8192, True, True)
    assert (other.window, other.images, other.wants_reasoning) == (4096, True, False)
    assert (qwen.endpoint.silence, qwen.endpoint.api_key) == (300, "")
    large = await catalog.choose("gate/large")
    assert (large.window, large.endpoint.api_key) == (200_000, "sk-gate")
    assert large.endpoint.base_url == "https://api.openai.com/v1"


async def test_a_model_at_none_of_the_endpoints_is_named(
    two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMOTES_MODELS", TWO.replace("timeout = 300", "list = false"))
    with pytest.raises(ModelError, match="no model 'gpt-9' here now"):
        await catalog.choose("gpt-9")


async def test_without_endpoints_a_threads_model_is_not_replaced_by_the_demo() -> None:
    with pytest.raises(ModelError, match="no model 'gpt-9'"):
        await catalog.choose("gpt-9")


@pytest.mark.parametrize("name", ["models.toml", "sub/models.json"])
def test_a_file_in_the_data_folder_is_read_anew_each_time(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("REMOTES_MODELS", name)
    path = Path(settings.REMOTES_DATA_DIR, name)
    path.parent.mkdir(exist_ok=True)
    for endpoint in ("first", "second"):
        entry: dict[str, object] = {"endpoints": {endpoint: {}}}
        toml = f"[endpoints.{endpoint}]"
        path.write_text(json.dumps(entry) if name.endswith("json") else toml)
        assert [each.name for each in configuration.read().endpoints] == [endpoint]


WRONG = {
    "no file": ("missing.toml", ["missing.toml", "No such file"]),
    "no TOML": ("a = ", ["REMOTES_MODELS can't be read"]),
    "no JSON": ("{", ["REMOTES_MODELS can't be read"]),
    "nothing in it": ("endpoints = {}", ["no endpoint"]),
    "a word too many": ("[endpoints.a]\nurl = 'x'", ["endpoint 'a'", "`url`"]),
    "a wrong type": ("[endpoints.a]\nbase_url = 7", ["endpoint 'a'", "base_url"]),
    "a wrong window": (
        "[endpoints.a.models.x]\nwindow = 3",
        ["endpoint 'a'", "window", "1024"],
    ),
    "a wrong address": ("[endpoints.a]\nbase_url = 'localhost'", ["base_url", "'a'"]),
    "a wrong key": ("[endpoints.a]\napi_key = 'schlüssel'", ["api_key", "'a'"]),
    "a key that is not set": ("[endpoints.a]\napi_key_env = 'NO_KEY'", ["'a'", "NO_KEY"]),
    "a name that is none": ("[endpoints.'a/b']", ["'a/b'"]),
    "a name that is taken": ("[endpoints.demo]", ["'demo'"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_can_not_be_is_named(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    text, words = WRONG[case]
    monkeypatch.setenv("REMOTES_MODELS", text)
    with pytest.raises(ModelError) as raised:
        configuration.read()
    for word in [*words, "REMOTES_MODELS"]:
        assert word in str(raised.value)
    assert "schlüssel" not in str(raised.value)


def test_at_start_a_file_that_can_not_be_read_is_an_error(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", REMOTES_MODELS="[endpoints.a]\nurl = 'x'")
    assert done.returncode != 0
    assert "endpoint 'a'" in done.stderr


def test_at_start_a_variable_that_can_not_be_is_a_warning(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", OPENAI_BASE_URL="localhost")
    assert done.returncode == 0
    assert "OPENAI_BASE_URL is no address" in done.stderr


def test_at_start_variables_that_count_for_nothing_are_a_warning(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", REMOTES_MODELS="[endpoints.a]", OPENAI_MODEL="x")
    assert "not read: OPENAI_MODEL." in done.stderr


async def test_the_example_in_the_docs_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL)
    monkeypatch.setenv("REMOTES_MODELS", example)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert (await catalog.choose(None)).window == 16384
    assert (await catalog.choose("openai/gpt-5.1")).images


@pytest.mark.parametrize("struct", [File, EndpointEntry, ModelEntry])
def test_every_field_of_the_file_is_in_the_docs(struct: type[msgspec.Struct]) -> None:
    for name in struct.__struct_encode_fields__:
        assert re.search(rf"^\| [… ]*`[.]?{name}\b", DOCS, re.MULTILINE), name


def test_every_setting_of_models_is_in_the_docs() -> None:
    source = Path(configuration.__file__).read_text()
    names = set(re.findall(r'setting\("(\w+)"\)', source))
    told = re.findall(r"^\| `([A-Z_]+)` \|", DOCS, re.MULTILINE)
    assert set(told) == names
    assert len(told) == len(names) == 8
