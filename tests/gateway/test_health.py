"""What an operator's probes are told."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db


def test_healthz_answers_anyone(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")


def test_readyz_shows_staff_the_gauges(client: Client) -> None:
    client.force_login(User.objects.create_user("admin", is_staff=True))
    told = client.get("/readyz").json()
    assert told.pop("database") == "ok"
    assert {"sockets", "remotes", "pending", "runs", "tasks"} <= set(told)
    assert all(isinstance(count, int) for count in told.values())


def test_readyz_is_for_staff_only(client: Client) -> None:
    assert client.get("/readyz").status_code == 403
    client.force_login(User.objects.create_user("ana"))
    answer = client.get("/readyz")
    assert answer.status_code == 403
    assert "sockets" not in answer.json()
