from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from tests.store.made import Source, agent
from tests.store.stores import shown
from unspool.errors import StoreError
from unspool.model.query import TextQuery
from unspool.store.sqlite.connection import open_writer
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing.writer import Writer


def test_a_commit_that_fails_in_the_midst_leaves_nothing(sqlite: SqliteStore) -> None:
    source = Source().line("first").calls()
    sqlite.commit([source.batch()])
    before, twice = shown(sqlite), source.line("second").batch()
    broken = replace(twice, lines=twice.lines * 2)
    with pytest.raises(StoreError):
        sqlite.commit([Source(2, "s2").line("new words").batch(), broken])

    assert shown(sqlite) == before
    sqlite.commit([Source(2, "s2").line("new words").batch(), twice])
    assert len(sqlite.search(TextQuery())) == 3


def test_numbers_of_lines_are_never_used_twice(sqlite: SqliteStore) -> None:
    source = Source().line("half")
    sqlite.commit([source.provisional()])
    sqlite.commit([source.batch()])
    sqlite.commit([Source(2).line("other").batch()])

    assert sqlite.sql("SELECT line_id FROM lines")[1] == [(2,)]


def test_a_commit_that_failed_has_used_no_numbers(sqlite: SqliteStore) -> None:
    source, wrong = Source().line(), Source(2, "s2").line().batch()
    sqlite.commit([source.batch()])
    with pytest.raises(StoreError):
        sqlite.commit([replace(wrong, lines=wrong.lines * 2)])
    sqlite.commit([source.line().batch()])

    assert sqlite.sql("SELECT line_id FROM lines")[1] == [(1,), (2,)]


def test_numbers_go_on_after_closing(tmp_path: Path) -> None:
    for number in (1, 2):
        store = SqliteStore(tmp_path)
        store.commit([Source(number).line().batch()])
        store.close()
    store = SqliteStore(tmp_path, mode="ro")

    assert store.sql("SELECT line_id FROM lines")[1] == [(1,), (2,)]
    store.close()


def test_two_threads_may_write(sqlite: SqliteStore) -> None:
    def write(number: int) -> None:
        source = Source(number, f"s{number}")
        for _ in range(25):
            sqlite.commit([source.line("word").batch()])

    threads = [Thread(target=write, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (sqlite.status().lines, sqlite.head()) == (50, 50)


def test_a_new_index_goes_on_where_another_ends(tmp_path: Path) -> None:
    writer = Writer(open_writer(tmp_path / "index.db"))
    writer.inherit(41)
    writer.put_agents("-repo", "s1", [agent("a1")])

    assert writer.head() == 42
    writer.close()
    writer.close()


def test_an_agents_row_may_change_in_one_field(sqlite: SqliteStore) -> None:
    sqlite.put_agents("-repo", "s1", [agent("a1")])
    sqlite.put_agents("-repo", "s1", [agent("a1", end_time=7)])

    assert sqlite.sql("SELECT end_time FROM agents")[1] == [(7,)]


def test_one_row_of_the_feed_for_each_batch(sqlite: SqliteStore) -> None:
    first, second = Source(1, "s1"), Source(2, "s2")
    sqlite.commit([first.line().batch(), second.line().batch(), first.line().batch()])

    assert [(c.session_id, c.offset, c.end) for c in sqlite.changes()] == [
        ("s1", 0, 100),
        ("s2", 0, 100),
        ("s1", 100, 200),
    ]


PIECES = "SELECT count(DISTINCT segid) FROM said_idx"


def test_merged_a_text_index_is_one_piece_and_finds_the_same(sqlite: SqliteStore) -> None:
    for number in range(1, 40):
        sqlite.commit([Source(number, f"s{number}").line(f"word{number} common").batch()])
    before = shown(sqlite), sqlite.search(TextQuery(terms="common"))
    with sqlite._readers.take() as connection:
        pieces = connection.execute(PIECES).get
        list(sqlite.merge())

        assert (pieces > 1, connection.execute(PIECES).get) == (True, 1)
    assert (shown(sqlite), sqlite.search(TextQuery(terms="common"))) == before


def test_a_merge_that_is_left_off_does_no_harm(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.store.sqlite.store._PAGES", 1)
    for number in range(1, 40):
        texts = " ".join(f"word{number}x{n}" for n in range(400))
        sqlite.commit([Source(number, f"s{number}").line(f"{texts} common").batch()])
    before = shown(sqlite)
    next(sqlite.merge())

    assert shown(sqlite) == before
    sqlite.commit([Source(99, "s99").line("common").batch()])
    assert len(sqlite.search(TextQuery(terms="common", limit=50))) == 40
