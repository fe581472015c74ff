"""What staff see and do about tokens and remotes in Django's admin."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from gateway.actions import Scope
from gateway.database import in_database
from remotes import tokens
from remotes.models import AccessToken
from tests.support.sites import Site

ADD = "/admin/remotes/accesstoken/add/"
LIST = "/admin/remotes/accesstoken/"


@pytest.fixture
def staff(client: Client, transactional_db: None) -> Client:
    """A browser in which a superuser is signed in."""
    client.force_login(User.objects.create_superuser("admin"))
    return client


def make(staff: Client, user: User, **more: object) -> str:
    """Make a token in the admin; what the page after it shows."""
    fields = {"user": user.pk, "name": "lab", "expires_at_0": "", "expires_at_1": "", **more}
    answer = staff.post(ADD, fields, follow=True)
    assert answer.redirect_chain == [(LIST, 302)]
    return answer.content.decode()


def shown_token(page: str) -> str:
    found = re.findall(r"rmt_[A-Za-z0-9_-]{43}", page)
    assert len(found) == 1
    return str(found[0])


def test_a_token_is_shown_once_and_only_its_hash_is_kept(staff: Client) -> None:
    ana = User.objects.create_user("ana")
    token = shown_token(make(staff, ana))
    entry = AccessToken.objects.get()
    for path in (LIST, f"{LIST}{entry.pk}/change/", f"{LIST}{entry.pk}/history/", "/admin/"):
        assert token not in staff.get(path).content.decode(), path
    assert token not in str(vars(entry))
    identity = tokens.identify(token)
    assert identity is not None
    assert (identity.user_id, identity.scopes) == (ana.pk, frozenset())


def test_its_scopes_are_boxes_that_are_ticked_when_it_is_made(staff: Client) -> None:
    form = staff.get(ADD).content.decode()
    assert re.findall(r'<input type="checkbox" name="scopes" value="(\w+)"', form) == list(Scope)
    token = shown_token(make(staff, User.objects.create_user("ana"), scopes=["serve", "call"]))
    identity = tokens.identify(token)
    assert identity is not None
    assert identity.scopes == {"serve", "call"}
    wrong = {"user": 1, "name": "lab", "scopes": ["approve"]}
    assert staff.post(ADD, wrong).status_code == 200
    assert AccessToken.objects.count() == 1


def test_saving_it_again_changes_neither_the_token_nor_its_scopes(staff: Client) -> None:
    ana = User.objects.create_user("ana")
    token = shown_token(make(staff, ana, scopes=["serve"]))
    entry = AccessToken.objects.get()
    fields = {"user": ana.pk, "name": "renamed", "scopes": ["chat"]}
    page = staff.post(f"{LIST}{entry.pk}/change/", fields, follow=True).content.decode()
    assert "rmt_" not in page.replace(entry.prefix, "")
    identity = tokens.identify(token)
    assert identity is not None
    assert identity.scopes == {"serve"}
    assert AccessToken.objects.get().name == "renamed"


async def test_a_revoked_token_closes_its_socket_and_opens_no_other(site: Site) -> None:
    doomed, kept = await site.token("ana"), await site.token("ana")
    goes = await site.connect({"Authorization": f"Bearer {doomed}"})
    stays = await site.connect({"Authorization": f"Bearer {kept}"})
    await revoke_in_admin(doomed)
    assert await goes.closed() == 4401
    await stays.barrier()
    again = await site.connect({"Authorization": f"Bearer {doomed}"}, welcome=False)
    assert await again.closed() == 4401


async def revoke_in_admin(token: str) -> None:
    """Revoke ``token`` as staff do."""

    def revoke() -> None:
        staff = Client()
        staff.force_login(User.objects.create_superuser("admin"))
        entry = AccessToken.objects.get(digest=tokens.marks_of(token)["digest"])
        fields = {"action": "revoke", "_selected_action": [entry.pk]}
        assert staff.post(LIST, fields).status_code == 302
        first = AccessToken.objects.get(pk=entry.pk).revoked_at
        assert first is not None
        staff.post(LIST, fields)
        assert AccessToken.objects.get(pk=entry.pk).revoked_at == first

    await in_database(revoke)
