from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from tests.engine.indexing.roots import saved, taken
from unspool.demo import Transcript
from unspool.engine.indexing import commits
from unspool.engine.indexing.commits import Commits
from unspool.engine.indexing.intake import IntakePiece
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.usage import Price
from unspool.store.contract import unpriced
from unspool.store.memory import MemoryStore


class Told:
    """Notes what was committed."""

    def __init__(self) -> None:
        self.groups: list[int] = []

    def __call__(self, batches: Sequence[Batch]) -> None:
        self.groups.append(len(batches))


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[IntakePiece]:
    """A file in three pieces or more."""
    monkeypatch.setattr("unspool.engine.indexing.intake.PIECE", 600)
    return taken(saved(tmp_path, Transcript().user("a").says("b").user("c").says("d")))


def test_what_was_added_is_written_when_it_is_flushed(given: list[IntakePiece]) -> None:
    store = MemoryStore()
    told = Told()
    made = Commits(store, unpriced, told)
    for one in given:
        made.add(one)

    assert (store.sources(), told.groups) == ([], [])
    made.flush()
    assert (store.sources()[0].lines, told.groups) == (4, [len(given)])


class Ordered(MemoryStore):
    """Notes in which order it is written to."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        super().archive(segments, sources)
        self.order.append("archive")

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        seq = super().commit(batches, price)
        self.order.append("commit")
        return seq


def test_bytes_are_archived_before_their_rows_are_there(given: list[IntakePiece]) -> None:
    store = Ordered()
    made = Commits(store, unpriced, Told())
    for one in given[:2]:
        made.add(one)
        made.flush()

    assert store.order == ["archive", "commit"] * 2
    assert [source.path for source in store.generations()] == [given[0][1].source.path]


@pytest.mark.parametrize("limit", ["_MOST_BYTES", "_MOST_LINES", "_LONGEST"])
def test_a_group_that_is_large_or_old_enough_is_written(
    given: list[IntakePiece], monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(commits, limit, 0)
    store = MemoryStore()
    told = Told()
    made = Commits(store, unpriced, told)
    for one in given:
        made.add(one)

    assert told.groups == [1] * len(given)


def test_nothing_to_write_is_no_commit() -> None:
    store = MemoryStore()
    told = Told()
    Commits(store, unpriced, told).flush()

    assert (told.groups, store.head()) == ([], 0)
