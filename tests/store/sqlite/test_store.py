import os
import stat
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from tests.store.made import Source, agent
from tests.store.stores import EVERYTHING, shown
from unspool.errors import StoreError
from unspool.model.api import MarksUpdate
from unspool.model.query import TextQuery, TotalsQuery
from unspool.store.pack import packed
from unspool.store.sqlite.marks import MarkStore, Stamp
from unspool.store.sqlite.store import SqliteStore


def test_what_was_written_is_there_after_closing(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.commit([Source().line("kept").spends().tells().batch()])
        before = shown(store)

    with closing(SqliteStore(tmp_path)) as store:
        assert shown(store) == before


def test_a_reader_finds_nothing_where_there_is_no_index(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "nowhere", mode="ro")) as store:
        assert (store.sources(), store.sessions(EVERYTHING), list(store.totals(TotalsQuery()))) == (
            [],
            [],
            [],
        )
        assert (store.search(TextQuery(terms="x")), store.head(), store.status().lines) == (
            [],
            0,
            0,
        )
        assert (store.raw(1, 0, 0, 1), store.generations(), store.check()) == (None, [], [])
        assert store.sql("SELECT * FROM events")[1] == []
    assert not (tmp_path / "nowhere").exists()


def test_a_reader_sees_an_index_that_appears_later(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path, mode="ro")) as reader:
        before = reader.head()
        with closing(SqliteStore(tmp_path)) as writer:
            writer.commit([Source().line().batch()])

            assert (before, reader.head()) == (0, 1)


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    with (
        closing(SqliteStore(tmp_path, mode="ro")) as store,
        pytest.raises(StoreError, match="open for reading only"),
    ):
        store.commit([Source().line().batch()])


def test_a_reader_sees_only_what_is_whole_while_a_transaction_runs(sqlite: SqliteStore) -> None:
    source = Source()
    sqlite.commit([source.line("first").batch()])
    with closing(SqliteStore(sqlite.home, mode="ro")) as reader:
        connection = sqlite._writes._tables._connection
        connection.execute("BEGIN IMMEDIATE; DELETE FROM line; DELETE FROM source")
        during = shown(reader)
        connection.execute("ROLLBACK")

        assert during == shown(reader)
        assert len(during["hits"]) == 1


def test_files_and_directory_are_the_owners_alone(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    old = os.umask(0)
    try:
        with closing(SqliteStore(home)) as store:
            store.commit([Source().line().batch()])
            store.archive([packed(1, 0, 0, b"x")])
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    finally:
        os.umask(old)

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert {"index.db", "index.db-wal", "raw.db", "raw.db-wal", "index.lock"} <= set(modes)


def test_modes_that_were_loosened_are_tightened(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    tmp_path.chmod(0o755)
    (tmp_path / "index.db").chmod(0o644)
    SqliteStore(tmp_path).close()

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "index.db").stat().st_mode) == 0o600


def test_views_ask_for_bodies_by_place(tmp_path: Path) -> None:
    def bodies(source: int, generation: int, offset: int, length: int) -> str:
        return f"{source}.{generation}.{offset}.{length}" * 100

    with closing(SqliteStore(tmp_path, bodies=bodies)) as store:
        store.commit([Source().line("text").batch()])
        ((preview,),) = store.sql("SELECT preview FROM lines")[1]

    assert (preview[:8], len(preview)) == ("1.0.0.99", 500)


def test_without_bodies_there_is_no_preview(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line("text").batch()])

    assert sqlite.sql("SELECT preview FROM lines")[1] == [(None,)]


def test_threads_may_read_while_one_writes(sqlite: SqliteStore) -> None:
    source, seen = Source(), list[int]()

    def read() -> None:
        seen.extend(len(sqlite.search(TextQuery(terms="word"))) for _ in range(20))

    threads = [Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        sqlite.commit([source.line("word").batch()])
    for thread in threads:
        thread.join()

    assert len(seen) == 80
    assert len(sqlite.search(TextQuery(terms="word"))) == 20


def test_sizes_are_told(sqlite: SqliteStore) -> None:
    sqlite.archive([packed(1, 0, 0, b"line\n" * 1000)])
    sqlite.commit([Source().line().batch()])
    status = sqlite.status()

    assert status.index_bytes > 0
    assert 0 < status.raw_bytes < status.archived_bytes == 5000


def test_the_price_table_is_remembered(sqlite: SqliteStore) -> None:
    before = sqlite.prices()
    sqlite.reprice(lambda row: 1, "2026-11")

    assert (before, sqlite.prices()) == ("", "2026-11")


def test_text_that_no_database_takes_is_mended(sqlite: SqliteStore) -> None:
    source = Source().line("half \ud800 character", uuid="\udfff").touches("/\ud800")
    source.row = replace(source.row, mtime_ns=2**80)
    sqlite.commit([source.spends("m:1", input_tokens=2**70).batch()])

    assert len(sqlite.search(TextQuery(terms="character"))) == 1
    assert sqlite.sql("SELECT uuid FROM lines")[1] == [("?",)]
    assert [total.input_tokens for total in sqlite.totals(TotalsQuery())] == [2**63 - 1]


def test_marks_are_read_once_however_many_sessions_are_listed(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite.commit([Source(number, f"s{number}").line().tells().batch() for number in range(1, 6)])
    times, stamped = list[int](), MarkStore._stamped

    def counted(self: MarkStore) -> Stamp | None:
        times.append(1)
        return stamped(self)

    monkeypatch.setattr(MarkStore, "_stamped", counted)

    assert (len(sqlite.sessions(EVERYTHING)), len(times)) == (5, 1)


def test_names_that_no_database_takes_can_be_asked_for(sqlite: SqliteStore) -> None:
    sqlite.put_agents("-\ud800", "s1", [agent("a\ud800")])
    sqlite.marks.change("-\ud800", "s1", MarksUpdate(title="\udfff"))
    sqlite.archive([], [replace(Source().row, path="\udc80.jsonl")])

    assert sqlite.facts("-\ud800", "s1") == {}
    assert len(sqlite.sessions(replace(EVERYTHING, projects=("-\ud800",)))) == 1
    assert sqlite.sql("SELECT title FROM sessions")[1] == [("?",)]
    assert sqlite.generations()[0].path == "?.jsonl"
