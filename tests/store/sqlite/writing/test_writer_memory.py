"""What the writer remembers between two commits changes nothing but how long they take."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.examples import examples
from tests.store.made import Source
from tests.store.stores import shown, tables
from tests.store.test_contract_pieces import SCRIPTS, mixed, played
from unspool.errors import StoreError
from unspool.model.rows import Batch
from unspool.store.sqlite.store import SqliteStore


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
