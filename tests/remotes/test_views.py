"""The client's files and the lines that connect a program, as they are handed out."""

import io
import json
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.test import Client

from remotes import client_files, tokens
from remotes.models import AccessToken

ASKERS = 4


def test_all_who_ask_first_at_the_same_time_are_given_the_same_file() -> None:
    client_files._built.cache_clear()
    together = threading.Barrier(ASKERS)

    def ask(_: int) -> bytes:
        together.wait()
        answer = Client().get("/remotes.pyz")
        assert answer.status_code == 200
        return b"".join(answer.streaming_content)  # type: ignore[attr-defined]

    with ThreadPoolExecutor(ASKERS) as threads:
        given = set(threads.map(ask, range(ASKERS)))
    assert len(given) == 1
    assert client_files._built.cache_info().misses == 1
    assert "__main__.py" in zipfile.ZipFile(io.BytesIO(given.pop())).namelist()


@pytest.mark.django_db
def test_the_lines_carry_a_token_that_holds_and_drop_the_one_nobody_used(client: Client) -> None:
    ana = User.objects.create_user("ana")
    assert client.post("/connect-lines/").status_code == 302
    client.force_login(ana)
    assert client.get("/connect-lines/").status_code == 405
    first, second = [json.loads(client.post("/connect-lines/").content) for _ in range(2)]
    assert tokens.identify(first["token"]) is None
    assert tokens.identify(second["token"]) is not None
    assert second["token"] in second["posix"]
    assert second["token"] in second["windows"]
    third = json.loads(client.post("/connect-lines/").content)
    assert tokens.identify(second["token"]) is not None, "it has been used"
    assert AccessToken.objects.count() == 2
    assert third["server"] == "http://testserver"
