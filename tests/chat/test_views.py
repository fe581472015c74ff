"""The page's addresses, and what staff see of threads in the admin."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import services, turns
from chat.models import Call, Thread

pytestmark = pytest.mark.django_db

MARKUP = '<img src=x onerror="window.pwned=1">'


@pytest.mark.parametrize("path", ["/", "/t/some-thread"])
def test_the_page_is_for_people_who_signed_in(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer["Location"] == f"/accounts/login/?next={path}"
    client.force_login(User.objects.create_user("ana"))
    assert client.get(path).status_code == 200
    assert client.post(path).status_code == 405


@pytest.fixture
def thread() -> Thread:
    """A thread whose every text is markup."""
    ana = User.objects.create_user("ana")
    made = services.create_thread(ana.pk, MARKUP, [MARKUP], "")
    turn = turns.begin(ana.pk, made.pk, MARKUP, None, "", "node")
    texts = dict.fromkeys(("remotename", "function", "args", "error"), MARKUP)
    turns.save_call(turn.run, Call(message=turn.answer, **texts), MARKUP)
    turn.run.error = turn.answer.error = MARKUP
    turns.end(turn.run, turn.answer, [])
    return made


@pytest.mark.parametrize("kind", ["thread", "message", "call", "run", "resource"])
def test_staff_can_find_and_read_everything_and_markup_stays_text(
    admin_client: Client, thread: Thread, kind: str
) -> None:
    found = admin_client.get(f"/admin/chat/{kind}/", {"q": "ana"}).content.decode()
    assert "0 results" not in found
    row = {
        "thread": thread,
        "message": thread.messages.get(role="assistant"),
        "call": Call.objects.get(),
        "run": thread.runs.get(),
        "resource": thread.resources.get(),
    }[kind]
    page = admin_client.get(f"/admin/chat/{kind}/{row.pk}/change/")
    assert page.status_code == 200
    for text in (found, page.content.decode()):
        assert "&lt;img src=x onerror=" in text or kind == "run"
        assert MARKUP not in text
    assert admin_client.get(f"/admin/chat/{kind}/add/").status_code == 403
    assert admin_client.post(f"/admin/chat/{kind}/{row.pk}/change/", {}).status_code == 403


def test_staff_can_delete_a_thread(admin_client: Client, thread: Thread) -> None:
    answer = admin_client.post(f"/admin/chat/thread/{thread.pk}/delete/", {"post": "yes"})
    assert answer.status_code == 302
    assert not Thread.objects.exists()


def test_others_see_no_admin(client: Client, thread: Thread) -> None:
    client.force_login(thread.user)
    assert client.get("/admin/chat/thread/").status_code == 302
