"""The examples of docs/protocol.md, sent to a real server: it answers as the page says."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.servers import Server, copy_template
from tests.end_to_end.sockets import Client, Frame, socket
from tests.test_docs import PROTOCOL, examples

EXACT, SHAPES = PROTOCOL.split("## More examples")
CHANGING = re.compile(r"[\w-]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z")
"""Ids and times, which differ each time."""
WORDS = {"action", "id", "code", "status", "role", "remotename", "function", "kind", "subkind"}
"""Keys whose values are the same each time, where they are no ids."""

Clients = dict[str, Client]


@pytest.fixture(scope="module")
def own_server(template_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that nobody else connects to."""
    server = Server(copy_template(template_data, tmp_path_factory.mktemp("examples")))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def clients(own_server: Server) -> AsyncIterator[Clients]:
    """Two programs and a page of one user, as the page calls them."""
    token = own_server.token()
    async with (
        socket(own_server, token=token, welcome=False) as laptop,
        socket(own_server, token=token, welcome=False) as script,
        socket(own_server, cookie=own_server.sign_in(), welcome=False) as page,
    ):
        yield {"laptop": laptop, "script": script, "page": page}


class Names:
    """Which real id or time stands for which of the page's."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def learn(self, told: Any, real: Any) -> None:
        """Note what stands in ``real`` where ``told`` has an id or a time."""
        if isinstance(told, dict) and isinstance(real, dict):
            for key in told.keys() & real.keys():
                self.learn(told[key], real[key])
        elif isinstance(told, list) and isinstance(real, list):
            for each, other in zip(told, real, strict=False):
                self.learn(each, other)
        elif isinstance(told, str) and isinstance(real, str) and CHANGING.fullmatch(told):
            assert self._real.setdefault(told, real) == real, "one name for two things"

    def real(self, text: str) -> str:
        """The page's text with the real ids in it."""
        for told, real in self._real.items():
            text = text.replace(told, real)
        return text


async def answer_to(client: Client, told: Frame) -> Frame:
    """The first frame not taken yet that has the action and the id of what the page shows."""
    return await client.take(
        lambda frame: (frame["action"], frame.get("id")) == (told["action"], told.get("id"))
    )


def assert_same_shape(told: Any, real: Any, key: str = "") -> None:
    """Both have the same keys and kinds of values, and the same words where they matter."""
    if isinstance(told, dict):
        assert isinstance(real, dict)
        assert told.keys() == real.keys()
        for name in told:
            assert_same_shape(told[name], real[name], name)
    elif isinstance(told, list):
        assert isinstance(real, list)
        for each, other in zip(told, real, strict=True):
            assert_same_shape(each, other, key)
    else:
        assert isinstance(real, int | float if isinstance(told, float) else type(told))
        if key in WORDS and not CHANGING.fullmatch(str(told)):
            assert told == real, key


async def test_the_first_exchange_is_word_for_word_what_the_server_says(clients: Clients) -> None:
    section = EXACT.split("## A first exchange")[1].split("\n## ")[0]
    names = Names()
    for who, verb, text in examples(section):
        if verb == "sends":
            await clients[who].text(names.real(text))
        else:
            real = await answer_to(clients[who], json.loads(text))
            names.learn(json.loads(text), real)
            assert json.loads(names.real(text)) == real


async def test_the_other_examples_have_the_shapes_that_the_server_sends(clients: Clients) -> None:
    await offer_free_space(clients["laptop"])
    names = Names()
    for who, verb, text in examples(SHAPES):
        if verb == "sends":
            await clients[who].text(names.real(text))
        else:
            real = await answer_to(clients[who], json.loads(text))
            names.learn(json.loads(text), real)
            assert_same_shape(json.loads(text), real)


async def offer_free_space(laptop: Client) -> None:
    """What the laptop said in the first exchange."""
    sent = [text for who, verb, text in examples(EXACT) if (who, verb) == ("laptop", "sends")]
    await laptop.text(sent[0])
    await answer_to(laptop, {"action": "remote-connect", "id": "1"})


async def test_the_error_example_is_what_the_server_says(clients: Clients) -> None:
    section = EXACT.split("### Errors")[1].split("\n### ")[0]
    (told,) = [json.loads(text) for _, _, text in examples(section)]
    payload = {"remotename": "", "functions": []}
    await clients["script"].send("remote-connect", payload, id=told["id"])
    assert await answer_to(clients["script"], told) == told
