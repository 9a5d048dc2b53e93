"""Hubs that share a database hear of one another's commits, and look all the same."""

from collections.abc import Iterator
from contextlib import closing
from threading import Event, Thread
from time import monotonic, sleep

import psycopg
import pytest

from tests.store.postgres.cluster import CLUSTER
from tests.waiting import until
from unspool.store.postgres.database import Pool, open_pool
from unspool.store.postgres.notify import ChangeListener, ChangeNotifier

LONG = 3_600.0
_LISTENING = "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN unspool' AND state = 'idle'"


@pytest.fixture
def pool() -> Iterator[Pool]:
    url = CLUSTER.database()
    with closing(open_pool(url)) as made:
        yield made
    CLUSTER.give_back(url)


@pytest.fixture
def notifier(pool: Pool) -> Iterator[ChangeNotifier]:
    made = ChangeNotifier(pool)
    made.start()
    yield made
    made.stop()


def heard(listener: ChangeListener) -> Event:
    """Set when it has waited."""
    over = Event()

    def listen() -> None:
        listener.wait(LONG)
        over.set()

    Thread(target=listen, daemon=True).start()
    return over


def test_a_commit_of_another_hub_ends_the_waiting(pool: Pool, notifier: ChangeNotifier) -> None:
    listener = ChangeListener(pool)
    listener.wait(LONG)  # from now on
    waits = heard(listener)
    assert not waits.wait(0.1)
    notifier.changed()

    assert waits.wait(60)
    listener.close()


def test_many_commits_are_told_of_together(pool: Pool, notifier: ChangeNotifier) -> None:
    with psycopg.connect(str(pool.conninfo), autocommit=True) as connection:
        connection.execute("LISTEN unspool")
        begin = monotonic()
        for _ in range(100):
            notifier.changed()
            sleep(0.005)
        told = len(list(connection.notifies(timeout=0.5)))

        assert 1 <= told <= 2 + 5 * (monotonic() - begin)


def test_a_listener_whose_connection_broke_hears_again(
    pool: Pool, notifier: ChangeNotifier
) -> None:
    listener = ChangeListener(pool)
    listener.wait(LONG)
    with pool.connection() as connection:
        ((pid,),) = connection.execute(_LISTENING).fetchall()
        connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        assert until(lambda: not connection.execute(_LISTENING).fetchall())
    listener.wait(0.01)  # finds it broken

    assert heard(listener).wait(60)  # connects
    waits = heard(listener)
    notifier.changed()
    assert waits.wait(60)
    listener.close()
