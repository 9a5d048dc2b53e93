"""Migrations: done once however many processes start, and refused where a newer one was here."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import psycopg
import pytest

from tests.store.postgres.cluster import KEPT, SearchableStore
from unspool.errors import SchemaTooNew, StoreError
from unspool.store.postgres.database import open_pool
from unspool.store.postgres.rebuild import SUMS, TABLES
from unspool.store.postgres.schema import migrate, migrations, version
from unspool.store.postgres.store import PostgresStore


def noted(url: str) -> list[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT name, value FROM unspool.meta ORDER BY 1").fetchall()


def test_steps_are_numbered_without_a_gap() -> None:
    assert [number for number, _, _ in migrations()] == list(range(1, len(migrations()) + 1))


def test_of_many_who_start_at_once_one_lays_out_the_database(empty: str) -> None:
    start = Barrier(4)

    def lay_out(_: int) -> None:
        start.wait()
        PostgresStore(empty, weeks_ahead=0).close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lay_out, range(4)))

    assert noted(empty) == [(f"migration {number:04}", name) for number, name, _ in migrations()]


def test_what_is_laid_out_already_is_left_alone(postgres: SearchableStore) -> None:
    before = noted(postgres.url)
    with postgres.connected() as connection:
        migrate(connection)

    assert noted(postgres.url) == before


def test_a_step_that_fails_leaves_the_one_before_it(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = migrations()
    broken = [first, (2, "0002_broken", "CREATE TABLE half (a int); SELECT nonsense")]
    with monkeypatch.context() as patch:
        patch.setattr("unspool.store.postgres.schema.migrations", lambda: broken)
        with pytest.raises(StoreError, match="nonsense"):
            PostgresStore(empty)

    assert [name for name, _ in noted(empty)] == ["migration 0001"]
    with psycopg.connect(empty) as connection:
        ask = "SELECT to_regclass('unspool.half') IS NULL"
        assert connection.execute(ask).fetchone() == (True,)
    PostgresStore(empty, weeks_ahead=0).close()
    assert len(noted(empty)) == len(migrations())


def test_a_database_of_a_newer_version_is_refused_in_one_sentence(empty: str) -> None:
    PostgresStore(empty, weeks_ahead=0).close()
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("INSERT INTO unspool.meta VALUES ('migration 0099', '0099_later')")

    with pytest.raises(SchemaTooNew) as refused:
        PostgresStore(empty)
    assert str(refused.value) == (
        f"The database has version 99, but this unspool supports {len(migrations())}:"
        " install the newer unspool"
    )
    pool = open_pool(empty)
    with pool.connection() as connection, pytest.raises(SchemaTooNew):
        version(connection)
    pool.close()


def test_an_address_that_nobody_answers_is_a_store_error(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.store.postgres.database._PATIENCE", 0.1)

    with pytest.raises(StoreError, match="try again"):
        PostgresStore(empty.replace("/test_", "/none_"))


def test_a_rebuild_knows_every_table(postgres: SearchableStore) -> None:
    """A table that it forgot would keep the rows of the old index."""
    ask = """
        SELECT relname FROM pg_class WHERE relnamespace = 'unspool'::regnamespace
            AND relkind IN ('r', 'p') AND NOT relispartition
    """
    with postgres.connected() as connection:
        found = {name for (name,) in connection.execute(ask)}

    assert found == {*TABLES, *KEPT, *SUMS, "meta", "head", "day_cause", "stale_day"}
