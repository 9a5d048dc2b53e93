from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.segments import archive_from, repair_archive, whole_until
from unspool.model.files import Root
from unspool.model.rows import SourceRow
from unspool.store.memory import MemoryStore
from unspool.store.pack import packed

DATA = Transcript().user("héllo").says("bye").bytes()
HALF = DATA.index(b"\n") + 1


class Cut(MemoryStore):
    """An archive that a power cut took the end of."""

    def lose(self, source: SourceRow, end: int) -> None:
        kept = packed(source.source_id, source.generation, 0, DATA[:end])
        self._segments.clear()
        self.archive([kept] if end else [])


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path, Transcript().user("héllo").says("bye"))


@pytest.fixture
def store(root: Root) -> Cut:
    store = Cut()
    Indexer(store, [root], TABLE).sweep(NOW)
    return store


def only(store: MemoryStore) -> SourceRow:
    (source,) = store.sources()
    return source


@pytest.mark.parametrize("end", [0, HALF])
def test_bytes_the_archive_lost_come_back_from_the_file(store: Cut, end: int) -> None:
    source = only(store)
    store.lose(source, end)

    assert repair_archive(store, [source]) == []
    assert store.raw(source.source_id, 0, 0, len(DATA)) == DATA


def test_rows_are_not_touched(store: Cut) -> None:
    before = store.head()
    store.lose(only(store), HALF)
    repair_archive(store, store.sources())

    assert store.head() == before


def test_a_sweep_mends_when_the_process_begins(store: Cut, root: Root) -> None:
    store.lose(only(store), HALF)
    report = Indexer(store, [root], TABLE).sweep(NOW)

    assert (report.changed, report.trouble) == (0, ())
    assert store.archived(only(store).source_id, 0) == len(DATA)


def test_a_file_looked_at_first_does_not_keep_a_sweep_from_mending(store: Cut, root: Root) -> None:
    store.lose(only(store), HALF)
    indexer = Indexer(store, [root], TABLE)
    indexer.look([], NOW)
    indexer.sweep(NOW)

    assert store.archived(only(store).source_id, 0) == len(DATA)


def test_what_the_file_has_no_more_is_said_to_be_lost(store: Cut, root: Root) -> None:
    source = only(store)
    store.lose(source, HALF)
    age(Path(root.projects, "-repo", "s1.jsonl")).write_bytes(b"another\n")
    (trouble,) = repair_archive(store, [source])

    assert f"bytes {HALF} to {len(DATA)}" in trouble


def test_a_file_that_is_gone_cannot_help(store: Cut, root: Root) -> None:
    source = only(store)
    Path(root.projects, "-repo", "s1.jsonl").unlink()

    assert not archive_from(store, source, 0)


def test_an_archive_is_whole_until_its_first_gap(store: Cut) -> None:
    source = only(store)
    assert whole_until(store, source) == len(DATA)
    store._segments.clear()
    store.archive([packed(source.source_id, 0, HALF, DATA[HALF:])])

    assert whole_until(store, source) == 0
