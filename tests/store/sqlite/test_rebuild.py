import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.made import Source
from tests.store.stores import shown
from unspool.errors import StoreBusy, StoreCorrupt
from unspool.model.api import MarksUpdate
from unspool.model.query import TextQuery
from unspool.store import Store
from unspool.store.pack import packed
from unspool.store.sqlite.rebuild import companions, discard, move_aside, set_aside, swap
from unspool.store.sqlite.store import SqliteStore


def full(fresh: Store) -> None:
    fresh.commit([Source().line("word").spends().tells().batch()])


def names(home: Path) -> set[str]:
    return {path.name for path in home.iterdir() if not path.name.endswith(("-wal", "-shm"))}


def test_a_new_index_takes_the_place_of_the_old_one(sqlite: SqliteStore) -> None:
    full(sqlite)
    before = shown(sqlite)
    sqlite.rebuild_into(full)

    assert shown(sqlite) == before
    assert names(sqlite.home) == {"index.db", "raw.db", "index.lock"}


def test_the_store_can_be_written_afterwards(sqlite: SqliteStore) -> None:
    source = Source().line("first")
    first = source.batch()
    sqlite.rebuild_into(lambda fresh: None)
    sqlite.commit([first, source.line("second").batch()])

    assert len(sqlite.search(TextQuery())) == 2


def test_the_feed_goes_on_counting(sqlite: SqliteStore) -> None:
    full(sqlite)
    sqlite.rebuild_into(full)

    assert [change.seq for change in sqlite.changes(after=1)] == [2]
    assert sqlite.head() == 2


def test_marks_and_archive_are_kept(sqlite: SqliteStore) -> None:
    sqlite.archive([packed(1, 0, 0, b"raw\n")])
    sqlite.marks.change("-repo", "s1", MarksUpdate(pinned=True, title="mine"))
    sqlite.rebuild_into(full)

    assert sqlite.sql("SELECT pinned, title FROM sessions")[1] == [(1, "mine")]
    assert sqlite.raw(1, 0, 0, 3) == b"raw"


def test_the_old_index_serves_until_the_new_one_is_whole(sqlite: SqliteStore) -> None:
    full(sqlite)
    seen = []
    with closing(SqliteStore(sqlite.home, mode="ro")) as reader:

        def fill(fresh: Store) -> None:
            seen.append((len(reader.search(TextQuery())), len(sqlite.search(TextQuery()))))
            fresh.commit([Source(9).line("a").line("b").batch()])
            seen.append((len(reader.search(TextQuery())), len(fresh.search(TextQuery()))))

        sqlite.rebuild_into(fill)
        seen.append((len(reader.search(TextQuery())), len(sqlite.search(TextQuery()))))

    assert seen == [(1, 1), (1, 2), (2, 2)]


def test_a_reader_in_the_midst_of_the_old_file_is_not_disturbed(sqlite: SqliteStore) -> None:
    full(sqlite)
    with closing(SqliteStore(sqlite.home, mode="ro")) as reader, reader._readers.take() as held:
        sqlite.rebuild_into(lambda fresh: None)
        sqlite.commit([Source(9).line("x").batch()])

        assert held.execute("SELECT count(*) FROM lines WHERE source_id = 1").get == 1


def test_a_rebuild_that_fails_leaves_the_old_index(sqlite: SqliteStore) -> None:
    full(sqlite)
    before = shown(sqlite)

    def broken(fresh: Store) -> None:
        fresh.commit([Source(9).line("x").batch()])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sqlite.rebuild_into(broken)
    assert shown(sqlite) == before
    assert "index.new.db" not in names(sqlite.home)


def test_what_an_earlier_rebuild_left_is_begun_anew(sqlite: SqliteStore) -> None:
    (sqlite.home / "index.new.db").write_bytes(b"half of an index")
    sqlite.rebuild_into(full)

    assert len(sqlite.search(TextQuery())) == 1


def test_an_index_that_cannot_be_opened_is_set_aside(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    (tmp_path / "index.db").write_bytes(b"\xff" * 9000)
    with pytest.raises(StoreCorrupt):
        SqliteStore(tmp_path)
    place = set_aside(tmp_path)

    with closing(SqliteStore(tmp_path)) as store:
        full(store)
    assert (place / "index.db").read_bytes() == b"\xff" * 9000


def test_an_index_in_use_is_not_set_aside(sqlite: SqliteStore) -> None:
    with pytest.raises(StoreBusy):
        set_aside(sqlite.home)
    assert (sqlite.home / "index.db").exists()


def test_logs_of_the_old_file_never_meet_the_new_one(tmp_path: Path) -> None:
    for name in ("index.db", "index.db-wal", "index.db-shm", "index.new.db"):
        (tmp_path / name).write_text(name)
    swap(tmp_path)

    assert [path.read_text() for path in tmp_path.iterdir()] == ["index.new.db"]


def test_moving_aside_takes_the_logs_along(tmp_path: Path) -> None:
    for path in companions(tmp_path / "index.db"):
        path.write_text("x")
    place = move_aside(tmp_path)

    assert {path.name for path in place.iterdir()} == {"index.db", "index.db-wal", "index.db-shm"}


def test_discarding_what_is_not_there_is_harmless(tmp_path: Path) -> None:
    discard(tmp_path / "index.new.db")

    assert list(tmp_path.iterdir()) == []


def test_an_index_that_cannot_be_replaced_stays_and_is_told(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    full(sqlite)
    before = shown(sqlite)

    def refused(*_: object) -> None:  # as Windows does while somebody reads it
        raise PermissionError(13, "in use")

    monkeypatch.setattr(os, "replace", refused)

    with pytest.raises(StoreBusy, match="stop the program that has it open"):
        sqlite.rebuild_into(full)
    assert shown(sqlite) == before
