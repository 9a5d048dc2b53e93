from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import stores_of
from unspool.cli.config import open_stores
from unspool.engine import freshness as module
from unspool.engine.freshness import Freshness, freshen, freshened
from unspool.engine.stores import Stores
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore


def fresh(place: Path, *, create: bool = False) -> Freshness:
    return freshen(stores_of(place), create=create)


def lines() -> int:
    with open_stores().reading() as (store, _):
        return store.status().lines


def test_where_there_is_no_index_none_is_made_unasked(tmp_path: Path) -> None:
    assert fresh(root(tmp_path)) is Freshness.ABSENT
    assert not open_stores().is_there()


def test_a_small_root_is_indexed_when_asked(tmp_path: Path) -> None:
    assert fresh(root(tmp_path), create=True) is Freshness.FRESH
    assert lines() == 5


def test_what_is_new_is_taken_in(tmp_path: Path) -> None:
    fresh(root(tmp_path), create=True)

    assert fresh(root(tmp_path, talk("session-two"))) is Freshness.FRESH
    assert lines() == 10


def test_where_nothing_is_new_nothing_is_opened_for_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh(root(tmp_path), create=True)
    monkeypatch.delattr(Stores, "writing")

    assert fresh(tmp_path) is Freshness.FRESH


def test_where_nothing_is_new_no_file_is_compared_with_all_the_index_knows_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh(root(tmp_path), create=True)
    monkeypatch.delattr(SqliteStore, "sources")

    assert fresh(tmp_path) is Freshness.FRESH


def test_much_that_is_new_is_left_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUICK", 10)
    absent = fresh(root(tmp_path), create=True)
    with closing(open_stores().writing()):
        pass

    assert (absent, fresh(tmp_path)) == (Freshness.ABSENT, Freshness.ABSENT)


def test_an_index_that_has_something_is_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh(root(tmp_path), create=True)
    monkeypatch.setattr(module, "QUICK", 10)

    assert fresh(root(tmp_path, talk("session-two"))) is Freshness.BEHIND


def test_beside_another_writer_the_index_is_good_enough(tmp_path: Path) -> None:
    fresh(root(tmp_path), create=True)
    with closing(open_stores().writing()):
        assert fresh(root(tmp_path, talk("session-two"))) is Freshness.FRESH


def test_without_room_to_write_it_is_behind(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh(root(tmp_path), create=True)
    blocked = home / "a file, not a directory"
    blocked.touch()
    monkeypatch.setattr(Stores, "writing", lambda _: SqliteStore(blocked / "home"))

    assert fresh(root(tmp_path, talk("session-two"))) is Freshness.BEHIND


def test_what_hooks_left_is_taken_in(tmp_path: Path) -> None:
    fresh(root(tmp_path), create=True)
    event = b'{"hook_event_name":"Stop","session_id":"session-one"}'
    append(open_stores().spool, [event], 1_767_261_600_000)

    assert fresh(tmp_path) is Freshness.FRESH
    with open_stores().reading() as (store, _):
        assert [hook.event_type for hook in store.hooks("-home-dev-kettle", "session-one")] == [
            "stop"
        ]


def test_files_are_told_only_while_they_are_as_the_index_has_them(tmp_path: Path) -> None:
    stores = stores_of(root(tmp_path))
    _, first = freshened(stores, create=True)
    _, known = freshened(stores)

    assert first is None
    assert known is not None
    with open_stores().reading(known) as (store, archive):
        assert archive.sources() == {one.source_id: one for one in store.sources()}
