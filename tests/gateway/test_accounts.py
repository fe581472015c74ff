"""What someone meets who signs in, or tries to."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from gateway.accounts import TRIES_PER_ACCOUNT, TRIES_PER_ADDRESS

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/login/"
PASSWORD = "correct horse battery staple"


@pytest.fixture(autouse=True)
def _ana() -> None:
    User.objects.create_user("ana", password=PASSWORD)


def sign_in(
    client: Client, name: str, password: str, address: str = "192.0.2.1"
) -> tuple[int, str]:
    """Status and text of the answer to a try from ``address``."""
    fields = {"username": name, "password": password}
    answer = client.post(LOGIN, fields, REMOTE_ADDR=address)
    return answer.status_code, answer.content.decode()


def test_the_right_password_leads_to_the_page(client: Client) -> None:
    answer = client.post(LOGIN, {"username": "ana", "password": PASSWORD})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_an_account_is_closed_after_too_many_tries_even_to_the_right_password(
    client: Client,
) -> None:
    for number in range(TRIES_PER_ACCOUNT):
        assert sign_in(client, "Ana", "wrong", f"192.0.2.{number}")[0] == 200
    status, text = sign_in(client, "ana", PASSWORD, "192.0.2.200")
    assert status == 429
    assert "Too many tries to sign in. Wait 15 minutes" in text


def test_an_address_is_closed_after_too_many_tries_on_whatever_names(client: Client) -> None:
    for number in range(TRIES_PER_ADDRESS):
        assert sign_in(client, f"name{number}", "wrong")[0] == 200
    assert sign_in(client, "ana", PASSWORD)[0] == 429
    assert sign_in(client, "ana", PASSWORD, "192.0.2.2")[0] == 302


def test_signing_in_forgets_the_tries_before_it(client: Client) -> None:
    for _ in range(TRIES_PER_ACCOUNT - 1):
        sign_in(client, "ana", "wrong")
    assert sign_in(client, "ana", PASSWORD)[0] == 302
    assert sign_in(client, "ana", "wrong")[0] == 200


def test_an_unknown_name_gets_the_same_words_as_a_wrong_password() -> None:
    pages = [sign_in(Client(), name, "wrong")[1].replace(name, "NAME") for name in ("ana", "eve")]
    pages = [re.sub(r'value="\w{64}"', "", page) for page in pages]
    assert "Please enter a correct" in pages[0]
    assert pages[0] == pages[1]


def test_the_admin_has_no_sign_in_of_its_own(client: Client) -> None:
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith(LOGIN)
    assert "next=%2Fadmin%2F" in answer.redirect_chain[-1][0]


def test_signing_out_needs_a_post(client: Client) -> None:
    client.post(LOGIN, {"username": "ana", "password": PASSWORD})
    assert client.get("/accounts/logout/").status_code == 405
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session
