"""What was forgotten is nowhere in the home, and what was not is as if it had always been alone."""

import os
import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.engine.forgetting.killing import count_steps, killed_at
from tests.engine.forgetting.planted import (
    AT,
    HOOK,
    MARK,
    PROJECT,
    SESSION,
    TORN,
    WORDS,
    hook,
    indexed,
    left,
    planted,
)
from tests.store.stores import shown
from unspool.cli.config import open_stores
from unspool.engine.forgetting.erase import TombstoneFollower
from unspool.engine.indexing.backfill import build
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.rebuild import rebuild
from unspool.engine.stores import Stores
from unspool.errors import StoreBusy
from unspool.model.query import SessionQuery
from unspool.source.forgotten import forget, obeyed, pending, restore, tombstones
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore

NOW = AT + 3_600_000


@pytest.fixture
def our_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "unspool"))
    planted(tmp_path / "claude", tmp_path / "unspool")
    return tmp_path / "unspool"


@pytest.fixture
def root(our_home: Path, tmp_path: Path) -> Path:
    return tmp_path / "claude"


@pytest.fixture
def stores(root: Path) -> Stores:
    return indexed(root)


def tombstone(stores: Stores, session: str = SESSION) -> None:
    forget(stores.tombstones, [(stores.roots[0].path, PROJECT, session)], NOW)


def sessions(our_home: Path) -> list[str]:
    with closing(SqliteStore(our_home, mode="ro")) as store:
        rows = store.sessions(SessionQuery(everything=True, limit=100))
        return sorted(row.session_id for row in rows if row.session_id)  # the spool has none


def test_every_word_is_planted_where_it_is_looked_for(stores: Stores, our_home: Path) -> None:
    found = left(our_home)

    assert {HOOK, TORN} <= found["spool/2026-01-01.spool"]
    assert found["state.db"] == {MARK}
    assert found["index.db"] | found["raw.db"] | found["state.db"] == set(WORDS)


def test_no_file_of_the_home_has_any_of_it(stores: Stores, our_home: Path) -> None:
    (our_home / "corrupt-1").mkdir()
    shutil.copy(our_home / "index.db", our_home / "corrupt-1")
    (our_home / "cost.cache-123").write_text(WORDS[0])
    (our_home / "marks.json.imported").write_text(MARK)
    tombstone(stores)

    stores.obey_tombstones()
    assert left(our_home) == {}
    assert sessions(our_home) == ["session-kept"]


def test_nothing_of_it_is_in_free_pages_or_logs(stores: Stores, our_home: Path) -> None:
    tombstone(stores)
    with (our_home / "index.db").open() as before:
        stores.obey_tombstones()
        # It has free pages; but none of this file ever had anything of it.
        assert not os.path.samestat(os.fstat(before.fileno()), os.stat(our_home / "index.db"))

    with closing(apsw.Connection(str(our_home / "raw.db"))) as database:
        assert database.pragma("freelist_count") == 0
    for name in ("raw.db", "index.db"):
        log = our_home / f"{name}-wal"
        assert not log.exists() or log.stat().st_size == 0


def test_all_else_is_as_if_it_had_always_been_alone(
    stores: Stores, our_home: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tombstone(stores)
    stores.obey_tombstones()
    build(stores.writing, stores.roots, stores.prices(), NOW, spool=stores.spool)
    with closing(SqliteStore(our_home, mode="ro")) as store:
        after = shown(store)

    shutil.rmtree(our_home)
    append(our_home / "spool", [hook(root, "session-kept", "alpha")], AT)
    for path in root.rglob(f"{SESSION}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    alone = indexed(root)
    with closing(SqliteStore(alone.home, mode="ro")) as store:
        before = shown(store)
    assert after["hits"] == before["hits"]
    assert after["totals"] == before["totals"]
    assert after["sessions"] == before["sessions"]


def test_the_next_process_that_opens_the_index_finishes_the_job(
    stores: Stores, our_home: Path
) -> None:
    tombstone(stores)
    assert left(our_home)

    with open_stores().reading():
        pass
    assert left(our_home) == {}


def test_an_index_that_somebody_writes_is_left_to_its_writer(
    stores: Stores, our_home: Path
) -> None:
    tombstone(stores)

    with closing(SqliteStore(our_home)):
        with pytest.raises(StoreBusy):
            stores.obey_tombstones()
        with open_stores().reading():
            pass
    assert sessions(our_home) == [SESSION, "session-kept"]


def test_its_writer_obeys_as_soon_as_it_is_told(stores: Stores, our_home: Path) -> None:
    with closing(stores.writing()) as store:
        indexer = Indexer(store, stores.roots, stores.prices(), spool=stores.spool)
        indexer.sweep(NOW)
        erase = lambda: stores.erase_forgotten(store)  # noqa: E731
        obey = TombstoneFollower(stores.tombstones, our_home, indexer, erase)
        assert [obey(), obey()] == [False, False]

        tombstone(stores)
        assert [obey(), obey()] == [True, False]
        assert left(our_home) == {}
        indexer.sweep(NOW)
        assert sessions(our_home) == ["session-kept"]

        restore(stores.tombstones, [one.key for one in tombstones(stores.tombstones)], NOW)
        assert obey()
        indexer.sweep(NOW)
        assert sessions(our_home) == [SESSION, "session-kept"]


def test_its_events_are_taken_out_of_the_spool_before_anybody_keeps_them(
    stores: Stores, our_home: Path, root: Path
) -> None:
    tombstone(stores)
    stores.obey_tombstones()
    for session in (SESSION, "session-kept"):
        append(our_home / "spool", [hook(root, session, HOOK)], AT + 1)

    build(stores.writing, stores.roots, stores.prices(), NOW, spool=stores.spool)
    data = next((our_home / "spool").iterdir()).read_bytes()
    assert data.count(HOOK.encode()) == 1
    assert SESSION.encode() not in data
    with closing(SqliteStore(our_home, mode="ro")) as store:
        assert len(store.hooks(PROJECT, "session-kept")) == 2
        assert store.status().bad_lines == 0


def test_a_rebuild_does_not_bring_it_back(stores: Stores, our_home: Path, root: Path) -> None:
    tombstone(stores)
    with closing(stores.rebuilding()) as store:
        rebuild(store, stores.roots, stores.prices(), NOW)

    assert sessions(our_home) == ["session-kept"]
    assert left(our_home) == {}


def test_a_damaged_index_is_no_way_to_keep_it(stores: Stores, our_home: Path) -> None:
    tombstone(stores)
    with (our_home / "index.db").open("r+b") as file:
        file.write(b"\0" * 4_096)

    stores.obey_tombstones()
    assert left(our_home) == {}
    assert sessions(our_home) == ["session-kept"]


def test_a_damaged_index_is_made_again_whatever_is_forgotten(
    stores: Stores, our_home: Path, tmp_path: Path
) -> None:
    forget(stores.tombstones, [(str(tmp_path / "other"), PROJECT, "nobody")], NOW)
    with (our_home / "index.db").open("r+b") as file:
        file.write(b"\0" * 4_096)

    stores.obey_tombstones()
    assert sessions(our_home) == [SESSION, "session-kept"]


def test_without_an_index_the_spool_is_cleaned(our_home: Path, root: Path) -> None:
    stores = open_stores()
    tombstone(stores)

    stores.obey_tombstones()
    assert left(our_home) == {}
    assert not stores.is_there()
    assert obeyed(our_home) == tombstones(stores.tombstones).size


def test_an_index_that_has_nothing_of_its_root_is_left_as_it_is(
    stores: Stores, our_home: Path, tmp_path: Path
) -> None:
    before = os.stat(our_home / "index.db").st_ino
    forget(stores.tombstones, [(str(tmp_path / "other"), PROJECT, "nobody")], NOW)

    stores.obey_tombstones()
    assert os.stat(our_home / "index.db").st_ino == before
    assert pending(stores.tombstones, our_home) == []


def test_an_index_of_another_root_obeys_the_same_tombstones(
    stores: Stores, tmp_path: Path, root: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    other = open_stores([str(copy), str(root)])
    build(other.writing, other.roots, other.prices(), NOW)
    assert other.home != stores.home
    tombstone(stores)

    other.obey_tombstones()
    ours = [one for one in sessions_by_root(other.home) if one[1] == SESSION]
    assert ours == [(str(copy), SESSION)]


def sessions_by_root(our_home: Path) -> set[tuple[str, str]]:
    with closing(SqliteStore(our_home, mode="ro")) as store:
        return {(one.root, one.session_id) for one in store.sources()}


def is_either(stores: Stores, our_home: Path) -> bool:
    """Not forgotten at all; or all of it is gone once the next process has begun."""
    with open_stores().reading():
        pass
    if not list(tombstones(stores.tombstones)):
        return sessions(our_home) == [SESSION, "session-kept"]
    return (left(our_home), sessions(our_home)) == ({}, ["session-kept"])


def wrong(stores: Stores, our_home: Path, place: Path, points: Iterable[int]) -> list[int]:
    killed = killed_at(points, our_home, place, SESSION)
    return [point for point in killed if not is_either(stores, our_home)]


def test_whenever_it_is_killed_it_is_forgotten_whole_or_not_at_all(
    stores: Stores, our_home: Path, tmp_path: Path
) -> None:
    place = tmp_path / "before"
    steps = count_steps(our_home, place, SESSION)

    assert wrong(stores, our_home, place, [1, *range(steps // 12, steps, steps // 12)]) == []


@pytest.mark.slow
def test_that_holds_for_each_of_its_steps(stores: Stores, our_home: Path, tmp_path: Path) -> None:
    place = tmp_path / "before"
    steps = count_steps(our_home, place, SESSION)

    assert wrong(stores, our_home, place, range(1, steps + 1)) == []
