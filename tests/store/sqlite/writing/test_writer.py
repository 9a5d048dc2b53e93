import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.examples import examples
from tests.store.made import START, Source, agent
from tests.store.stores import shown, tables
from tests.store.test_contract_pieces import SCRIPTS, mixed, played
from unspool.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull
from unspool.model.query import TextQuery
from unspool.model.rows import Batch, Segment
from unspool.store.pack import packed
from unspool.store.sqlite.connection import open_writer
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing import sources
from unspool.store.sqlite.writing.writer import IndexTables, Writer
from unspool.system import mounts


def test_a_second_writer_is_refused(sqlite: SqliteStore) -> None:
    with pytest.raises(StoreBusy, match=f"process {os.getpid()}"):
        Writer(sqlite.home)


def test_a_writer_that_could_not_be_set_up_leaves_no_lock(tmp_path: Path) -> None:
    (tmp_path / "raw.db").write_bytes(b"damaged" * 1000)
    with pytest.raises(StoreCorrupt):
        Writer(tmp_path)
    (tmp_path / "raw.db").unlink()

    Writer(tmp_path).close()


def test_what_is_doubtful_about_a_place_is_in_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(f"1 1 0:1 / {tmp_path} rw - 9p share rw\n")
    monkeypatch.setattr(mounts, "_TABLE", tmp_path / "mounts")

    with closing(SqliteStore(tmp_path / "home")) as store:
        assert ["9p" in said for said in store.status().trouble] == [True]


@pytest.fixture
def mounted() -> Iterator[Callable[..., None]]:
    """A way to mount something for one test: root is stopped by nothing less than a disk."""
    places: list[Path] = []

    def mount(place: Path, *options: str | Path) -> None:
        command = [shutil.which("mount") or "mount", *options, place]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"nothing can be mounted here: {error}")
        places.append(place)

    yield mount
    for place in set(places):
        subprocess.run([shutil.which("umount") or "umount", place], check=True)


def test_a_file_system_that_is_only_read_is_told(
    tmp_path: Path, mounted: Callable[..., None]
) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.commit([Source().line("word").batch()])
    mounted(tmp_path, "--bind", "-o", "ro", tmp_path)

    with pytest.raises(StoreFull, match="cannot be written"):
        SqliteStore(tmp_path)
    with closing(SqliteStore(tmp_path, mode="ro")) as reader:
        assert (len(reader.search(TextQuery(terms="word"))), reader.check()) == (1, [])


@pytest.fixture
def small(tmp_path: Path, mounted: Callable[..., None]) -> Path:
    """A disk of six megabytes."""
    mounted(tmp_path, "-t", "tmpfs", "-o", "size=6m", "tmpfs")
    return tmp_path


def committed(store: SqliteStore, batches: list[Batch]) -> None:
    for batch in batches:
        store.commit([batch])


def test_a_full_disk_loses_nothing_and_is_no_reason_to_restart(
    small: Path, mounted: Callable[..., None]
) -> None:
    source = Source()
    words = (" ".join(f"w{n}x{m}" for m in range(9000)) for n in range(99))
    batches = [source.line(text).batch() for text in words]
    with closing(SqliteStore(small / "home")) as store:
        with pytest.raises(StoreFull):
            committed(store, batches)
        taken = store.sources()[0].offset // 100
        kept = store.status().lines
        mounted(small, "-o", "remount,size=64m")
        committed(store, batches)

        assert 0 < kept == taken < 99
        assert (store.status().lines, store.check(thorough=True)) == (99, [])


def test_a_full_disk_while_archiving_leaves_whole_segments(small: Path) -> None:
    def noise() -> Iterator[Segment]:
        for n in range(20):
            yield packed(1, 0, n * 999_999, os.urandom(999_999))

    with closing(SqliteStore(small / "home")) as store:
        before = shown(store)
        with pytest.raises(StoreFull):
            store.archive(noise())

        assert (shown(store), store.archived(1, 0)) == (before, 0)
        store.archive([packed(1, 0, 0, b"fits")])
        assert store.raw(1, 0, 0, 4) == b"fits"


def seen(store: SqliteStore) -> dict[str, Any]:
    return shown(store) | tables(store) | {"changes": store.changes(limit=1000)}


def remembered(home: Path, groups: list[list[Batch]]) -> dict[str, Any]:
    """One writer for all; before each commit one fails that has the same and something wrong."""
    with closing(SqliteStore(home)) as store:
        for group in groups:
            wrong = Source(9, "s9").line().batch()
            with pytest.raises(StoreError):
                store.commit([*group, replace(wrong, lines=wrong.lines * 2)])
            store.commit(group)
        return seen(store)


def opened_anew(home: Path, groups: list[list[Batch]]) -> dict[str, Any]:
    """Another writer for each commit, which remembers nothing."""
    for group in groups:
        with closing(SqliteStore(home)) as store:
            store.commit(group)
    with closing(SqliteStore(home, mode="ro")) as store:
        return seen(store)


@settings(max_examples=examples(40))
@given(SCRIPTS, st.data())
def test_a_writer_that_remembers_writes_the_same(script: Any, data: st.DataObject) -> None:
    batches = mixed([played(number, steps) for number, steps in enumerate(script, 1)], data)
    size = data.draw(st.integers(1, 5))
    groups = [batches[at : at + size] for at in range(0, len(batches), size)]

    with TemporaryDirectory() as home:
        one, other = remembered(Path(home, "a"), groups), opened_anew(Path(home, "b"), groups)
    assert one == other


def test_hooks_of_a_session_without_a_project_are_adopted_later(sqlite: SqliteStore) -> None:
    stray = Source(1, "", project="", kind="spool")
    sqlite.commit([stray.line().hooks(session_id="s1").batch()])
    sqlite.commit([Source(2, "s1").line().tells().batch()])

    assert [hook.project_id for hook in sqlite.hooks("-repo", "s1")] == ["-repo"]


def test_a_new_writer_knows_of_hooks_without_a_project(tmp_path: Path) -> None:
    stray = Source(1, "", project="", kind="spool")
    with closing(SqliteStore(tmp_path)) as store:
        store.commit([stray.line().hooks(session_id="s1").batch()])
    with closing(SqliteStore(tmp_path)) as store:
        store.commit([Source(2, "s1").line().tells().batch()])

        assert [hook.project_id for hook in store.hooks("-repo", "s1")] == ["-repo"]


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
    writer = IndexTables(open_writer(tmp_path / "index.db"))
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


def test_a_long_run_remembers_the_last_sessions_and_files_alone(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_REMEMBERED", 4)
    monkeypatch.setattr(sources, "_REMEMBERED_SESSIONS", 4)
    for number in range(20):
        sqlite.commit([Source(number, f"s{number}").line("word").tells().batch()])
    made = sqlite._writes._tables

    assert len(made._sessions._known) <= 5
    assert len(made._sources._known) <= 5
    assert len(sqlite.sources()) == 20


def test_times_of_lines_that_were_rolled_back_are_of_no_line(sqlite: SqliteStore) -> None:
    def price(_: object) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sqlite.commit([Source(2).line().line().spends().batch()], price)
    sqlite.commit([Source(1).line().batch()])

    with closing(apsw.Connection(str(sqlite.home / "index.db"))) as connection:
        times = connection.execute("SELECT oldest, newest FROM block").fetchall()
    assert times == [(START + 1_000, START + 1_000)]
