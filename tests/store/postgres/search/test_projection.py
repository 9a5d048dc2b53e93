"""Texts are made findable after the commit, some at a time, whatever happens meanwhile."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from tests.store.made import START, Source
from tests.store.postgres.cluster import SearchableStore
from tests.waiting import until
from unspool.model.query import TextQuery
from unspool.store.postgres.database import Connection
from unspool.store.postgres.search import projection
from unspool.store.postgres.search.vectors import vectors
from unspool.store.postgres.store import PostgresStore


@pytest.fixture
def plain(postgres: SearchableStore) -> Iterator[PostgresStore]:
    """A store that makes words when it is told to."""
    made = PostgresStore(postgres.url, weeks_ahead=0)
    yield made
    made.close()


def found(store: PostgresStore, terms: str) -> list[int]:
    return [hit.line_number for hit in store.search(TextQuery(terms=terms))]


def waiting(store: PostgresStore) -> int:
    with store.connected() as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM new_text").fetchall()
    return int(count)


def test_a_commit_does_not_make_words(plain: PostgresStore) -> None:
    plain.commit([Source().line("kettle").batch()])

    assert (found(plain, "kettle"), waiting(plain)) == ([], 1)
    assert plain.project_text()
    assert (found(plain, "kettle"), waiting(plain)) == ([1], 0)
    assert not plain.project_text()


def test_the_newest_texts_come_first(plain: PostgresStore) -> None:
    late = Source(2, "s2", at=START + 60_000).line("lamp one").line("lamp two")
    plain.commit([late.batch()])
    plain.commit([Source().line("lamp three").line("lamp four").batch()])

    plain._projection.step(1)
    assert [hit.source_id for hit in plain.search(TextQuery(terms="lamp"))] == [2]
    plain._projection.step(1)
    assert [hit.source_id for hit in plain.search(TextQuery(terms="lamp"))] == [2, 2]
    assert sum(1 for _ in plain.merge()) == 1
    assert len(plain.search(TextQuery(terms="lamp"))) == 4


def test_a_line_that_changes_while_words_are_made_is_found_as_it_is_now(
    plain: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source().line("half")
    plain.commit([source.provisional()])

    def interrupted(bodies: list[str]) -> tuple[list[str], set[str]]:
        monkeypatch.undo()
        plain.commit([source.line("whole").batch()])
        return vectors(bodies)

    monkeypatch.setattr(projection, "vectors", interrupted)
    plain.project_text()
    assert (found(plain, "half"), found(plain, "whole")) == ([], [])
    plain.project_text()

    assert (found(plain, "half"), found(plain, "whole")) == ([], [1])
    assert plain.count_hits(TextQuery(terms="half")).rows == ()


def test_nobody_waits_for_texts_whose_file_is_written(plain: PostgresStore) -> None:
    """A commit that locks one file after the other would wait for us, and we for it."""
    for number in (1, 2, 3):
        plain.commit([Source(number, f"s{number}").line("lamp").batch()])

    def lock(connection: Connection, number: int) -> None:
        ask = "SELECT 1 FROM source WHERE source_id = %s FOR UPDATE"
        assert connection.execute(ask, (number,)).fetchall() == [(1,)]

    with ThreadPoolExecutor(1) as threads, plain.connected() as writer:
        with writer.transaction():
            lock(writer, 2)
            assert threads.submit(plain.project_text).result(60)
            assert {hit.source_id for hit in plain.search(TextQuery(terms="lamp"))} == {1, 3}
            last = threads.submit(plain.project_text)  # has nothing else to do, and waits
            lock(writer, 3)
            lock(writer, 1)
        assert last.result(60)
    assert len(plain.search(TextQuery(terms="lamp"))) == 3


def test_a_text_without_its_file_is_dropped(plain: PostgresStore) -> None:
    plain.commit([Source().line("lamp").batch()])
    with plain.connected() as connection:
        connection.execute("DELETE FROM source")

    assert list(plain.merge()) == [None]
    assert (found(plain, "lamp"), waiting(plain)) == ([], 0)


def test_a_file_that_moves_to_another_session_takes_its_texts_along(plain: PostgresStore) -> None:
    source = Source(session="").line("early")
    plain.commit([source.batch()])
    plain.project_text()
    plain.commit([source.line("early too").batch()])
    source.row = replace(source.row, session_id="s9")
    plain.commit([source.line("late").batch()])
    plain.project_text()

    hits = plain.search(TextQuery(terms="early", session="s9"))
    assert [hit.line_number for hit in hits] == [2, 1]


def test_a_file_that_moves_while_words_are_made_takes_them_along(plain: PostgresStore) -> None:
    source = Source(session="").line("early")
    plain.commit([source.batch()])
    source.row = replace(source.row, session_id="s9")
    moving = [source.line("late").batch()]

    def blocked() -> int:
        with plain.connected() as connection:
            ask = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            return int(connection.execute(ask).fetchall()[0][0])

    with ThreadPoolExecutor(2) as threads:
        with plain.connected() as connection, connection.transaction():
            connection.execute("SELECT 1 FROM new_text FOR UPDATE")
            words = threads.submit(plain.project_text)
            until(lambda: blocked() == 1)
            move = threads.submit(plain.commit, moving)
            until(lambda: blocked() == 2 or move.done())
        assert words.result()
        assert move.result()

    assert len(plain.search(TextQuery(terms="early", session="s9"))) == 1


def test_words_that_no_vector_takes_hold_up_no_other_text(
    plain: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:

    def broken(bodies: list[str]) -> tuple[list[str], set[str]]:
        return ([f"'{'x' * 3_000}':1"], set()) if bodies == ["poison"] else vectors(bodies)

    monkeypatch.setattr(projection, "vectors", broken)
    plain.commit([Source().line("lamp").line("poison").line("lamp").batch()])
    plain.project_text()

    assert (found(plain, "lamp"), waiting(plain)) == ([3, 1], 0)
    assert found(plain, "") == [3, 2, 1]
