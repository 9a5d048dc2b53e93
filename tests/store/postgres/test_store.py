"""A store as a whole: its connections, what it says of itself, and what is wrong with it."""

import pytest

from tests.store.made import Source, price
from tests.store.postgres.cluster import SearchableStore
from unspool.errors import StoreError, StoreFull
from unspool.store.postgres.database import open_pool
from unspool.store.postgres.store import PostgresStore


def test_stores_may_share_a_pool_and_do_not_close_it(postgres: SearchableStore) -> None:
    pool = open_pool(postgres.url)
    stores = [PostgresStore(pool, owner=owner, weeks_ahead=0) for owner in (5, 6)]
    for store in stores:
        store.commit([Source().line().tells().batch()])
        store.close()

    assert [len(store.sources()) for store in stores] == [1, 1]
    pool.close()


def test_a_store_that_was_closed_says_so(postgres: SearchableStore) -> None:
    store = PostgresStore(postgres.url, weeks_ahead=0)
    store.close()

    with pytest.raises(StoreError, match="closed"):
        store.head()


def test_a_database_that_may_only_be_read_says_so(postgres: SearchableStore) -> None:
    with pytest.raises(StoreFull, match="nothing was written"):
        PostgresStore(f"{postgres.url}&options=-cdefault_transaction_read_only%3Don")


def test_it_names_the_version_of_its_database(postgres: SearchableStore) -> None:
    status = postgres.status()

    assert int(status.database.partition(".")[0]) >= 15
    assert status.index_bytes > 0


def test_sums_that_differ_from_the_ledger_are_noticed(postgres: SearchableStore) -> None:
    postgres.commit([Source().line().spends().batch()], price)
    with postgres.connected() as connection:
        connection.execute("UPDATE total SET usd_pico = usd_pico + 1")

    assert postgres.check() == []
    assert postgres.check(thorough=True) == ["sums of usage differ from its responses"]
    postgres.reprice(lambda _: 5, "again")
    assert postgres.check(thorough=True) == []
