import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, saved
from tests.engine.indexing.views import shown
from unspool.demo import Transcript
from unspool.engine.indexing import indexer
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.survey import PendingFile, survey
from unspool.engine.indexing.worker import WorkerResult
from unspool.engine.indexing.workers import WorkerLost, Workers, usual_count
from unspool.errors import StoreFull
from unspool.model.files import Root
from unspool.model.rows import Batch
from unspool.model.usage import Price
from unspool.store.contract import unpriced
from unspool.store.memory import MemoryStore

pytestmark = [
    # Fewer threads than a fork could harm: pytest's own only wait.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes to fork here"),
]


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = [Transcript(f"s{n}").user(f"prompt {n}").says("x" * 2000) for n in range(12)]
    return saved(tmp_path, *made, Transcript("s1", agent="a1").user("look").meta(toolUseId="t"))


@pytest.fixture
def found(root: Root) -> list[PendingFile]:
    return survey([root], {}).found


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2) as made:
        yield made


def test_what_workers_read_is_what_one_process_reads(
    root: Root, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "WORTH_WORKERS", 0)
    alone, together = MemoryStore(), MemoryStore()
    Indexer(alone, [root], TABLE).sweep(NOW)
    report = Indexer(together, [root], TABLE, workers=workers).sweep(NOW)

    assert shown(together) == shown(alone)
    assert (report.lines, report.trouble) == (25, ())


def test_workers_can_be_asked_again(workers: Workers, found: list[PendingFile]) -> None:
    first = [
        made for made in workers.run(found, NOW) if isinstance(made, WorkerResult) and made.batch
    ]
    again = [
        made for made in workers.run(found, NOW) if isinstance(made, WorkerResult) and made.batch
    ]

    assert len(first) == len(again) == len(found)


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_read(
    workers: Workers, root: Root, found: list[PendingFile]
) -> None:
    path = Path(found[3].file.path)
    path.unlink()
    path.mkdir()
    made = [one for one in workers.run(found, NOW) if isinstance(one, WorkerResult)]

    assert sum(one.batch is not None for one in made) == len(found) - 1
    assert [path.name in one.trouble for one in made if one.trouble] == [True]


def test_what_a_dying_worker_had_to_do_is_given_back(found: list[PendingFile]) -> None:
    with Workers(1) as workers:
        os.kill(workers.pids[0], signal.SIGKILL)
        lost = [one.found for one in workers.run(found, NOW) if isinstance(one, WorkerLost)]

    assert lost == found


def test_an_index_is_whole_though_a_worker_died(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "WORTH_WORKERS", 0)
    store, alone = MemoryStore(), MemoryStore()
    with Workers(2) as workers:
        os.kill(workers.pids[1], signal.SIGKILL)
        Indexer(store, [root], TABLE, workers=workers).sweep(NOW)
    Indexer(alone, [root], TABLE).sweep(NOW)

    assert shown(store) == shown(alone)


class Full(MemoryStore):
    """A disk without room, for a while."""

    is_full = True

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        if self.is_full:
            raise StoreFull("no room")
        return super().commit(batches, price)


def test_what_workers_read_for_a_full_disk_is_read_again(
    root: Root, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "WORTH_WORKERS", 0)
    monkeypatch.setattr("unspool.engine.indexing.commits._MOST_LINES", 1)
    store = Full()
    made = Indexer(store, [root], TABLE, workers=workers)
    with pytest.raises(StoreFull):
        made.sweep(NOW)
    store.is_full = False

    assert (workers.pids, made.sweep(NOW).lines) == ([], 25)


def test_workers_that_were_let_go_leave_the_work_to_the_caller(found: list[PendingFile]) -> None:
    workers = Workers(1)
    workers.close()
    workers.close()

    assert [one.found for one in workers.run(found, NOW) if isinstance(one, WorkerLost)] == found


def test_a_little_work_is_not_given_away(root: Root, workers: Workers) -> None:
    workers.close()
    report = Indexer(MemoryStore(), [root], TABLE, workers=workers).sweep(NOW)

    assert report.lines == 25


@pytest.mark.parametrize(("processors", "workers"), [(None, 2), (2, 2), (4, 3), (64, 4)])
def test_there_are_as_many_workers_as_one_writer_can_follow(
    monkeypatch: pytest.MonkeyPatch, processors: int | None, workers: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)

    assert usual_count() == workers
