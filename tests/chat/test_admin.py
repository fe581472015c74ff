"""What staff may delete in the admin, and what becomes of what runs there."""

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient, Client

from chat import services, turns
from chat.models import Call, Message, Resource, Run, Thread
from gateway.database import in_database
from tests.support.sites import Site


def superuser() -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def staff(transactional_db: None) -> Client:
    client = Client()
    client.force_login(superuser())
    return client


@pytest.fixture
def thread(transactional_db: None) -> Thread:
    """A thread with one row of everything."""
    user = User.objects.create_user("ana")
    made = services.create_thread(user.pk, "", ["bench"], "")
    turn = turns.begin(user.pk, made.pk, "go", None, "", "an-old-node")
    Call.objects.create(message=turn.answer, function="slow", args="{}")
    turns.interrupt_left("a-new-node")
    return made


@pytest.mark.parametrize("model", [Message, Call, Run, Resource])
def test_what_belongs_to_a_thread_is_not_deleted_by_itself(
    staff: Client, thread: Thread, model: type[Message | Call | Run | Resource]
) -> None:
    pages = f"/admin/chat/{model._meta.model_name}/"
    row = model.objects.first()
    assert row is not None
    assert staff.get(f"{pages}{row.pk}/change/").status_code == 200
    assert staff.post(f"{pages}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    staff.post(pages, {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"})
    assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("path", ["chat/thread", "auth/user"])
def test_it_goes_with_its_thread_and_its_user(staff: Client, thread: Thread, path: str) -> None:
    key = thread.pk if path == "chat/thread" else thread.user_id
    assert staff.post(f"/admin/{path}/{key}/delete/", {"post": "yes"}).status_code == 302
    for model in (Thread, Message, Call, Run, Resource):
        assert not model.objects.exists()


@pytest.mark.parametrize("many", [False, True])
async def test_a_thread_deleted_in_the_admin_stops_and_everyone_hears(
    site: Site, many: bool
) -> None:
    page, other = await site.page(), await site.page()
    thread = (await page.ask("thread-create", {}))["thread"]["id"]
    await page.ask("thread-open", {"thread": thread})
    await page.ask("message-send", {"thread": thread, "content": "slow, please"})
    await page.event("message-delta")
    staff = AsyncClient()
    await staff.aforce_login(await in_database(superuser))
    chosen = {"action": "delete_selected", "_selected_action": thread} if many else {}
    path = "/admin/chat/thread/" + ("" if many else f"{thread}/delete/")
    assert (await staff.post(path, {"post": "yes", **chosen})).status_code == 302
    assert (await page.event("run-finished"))["run"]["status"] == "stopped"
    assert await page.event("thread-deleted") == {"thread": thread}
    assert await other.event("thread-deleted") == {"thread": thread}
    assert (await page.refusal("thread-open", {"thread": thread}))["code"] == "thread-not-found"
