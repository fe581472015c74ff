"""That SQLite, as it is set up here, serves several threads at once."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections, transaction

THREADS = 8
ROUNDS = 200


@pytest.mark.django_db(transaction=True)
def test_threads_that_read_then_write_never_find_the_database_locked() -> None:
    user = User.objects.create(username="ana", first_name="0")
    failures: list[Exception] = []
    together = threading.Barrier(THREADS)

    def count() -> None:
        try:
            together.wait()
            for _ in range(ROUNDS):
                with transaction.atomic():
                    seen = int(User.objects.values_list("first_name", flat=True).get(pk=user.pk))
                    User.objects.filter(pk=user.pk).update(first_name=str(seen + 1))
        except Exception as error:
            failures.append(error)
            raise
        finally:
            connections.close_all()

    threads = [threading.Thread(target=count) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    user.refresh_from_db()
    assert user.first_name == str(THREADS * ROUNDS)


@pytest.mark.django_db
def test_readers_do_not_wait_for_a_writer() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone() == ("wal",)
        cursor.execute("PRAGMA synchronous")
        assert cursor.fetchone() == (1,)
