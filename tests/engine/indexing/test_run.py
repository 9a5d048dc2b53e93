from pathlib import Path

import pytest

from tests.engine.indexing.roots import only_file, saved, taken
from unspool.demo import Transcript
from unspool.engine.indexing import run as module
from unspool.engine.indexing.run import Queue, Run
from unspool.engine.indexing.survey import PendingFile
from unspool.model.rows import SourceRow


def test_what_is_committed_is_known_counted_and_no_longer_busy(tmp_path: Path) -> None:
    root = saved(tmp_path, Transcript().user("a").says("b"))
    ((_, batch),) = taken(root)
    found, known = PendingFile(only_file(root), None), dict[int, SourceRow]()
    run = Run(known, [found], None, None)
    run.queue = Queue([found])
    list(run.queue)
    run.done([batch])

    assert known == {batch.source.source_id: batch.source}
    assert (run.report().lines, run.report().bytes) == (2, found.file.size)
    assert run.queue.claim(found)


def test_between_two_commits_others_may_do_something(tmp_path: Path) -> None:
    root, told = saved(tmp_path, Transcript().user("a")), list[object]()
    ((_, batch),) = taken(root)
    found = PendingFile(only_file(root), None)
    run = Run({}, [found], lambda *at: told.append(at), lambda: told.append("between"))
    run.done([batch])

    assert told == [(found.file.size, found.file.size), "between"]


def test_whoever_waits_for_a_commit_need_not_wait_for_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((_, batch),) = taken(saved(tmp_path, Transcript().user("a")))
    monkeypatch.setattr(module, "_COMMIT_BYTES", batch.source.offset * 2)
    waiting, alone = Run({}, [], None, lambda: None), Run({}, [], None, None)

    assert [waiting.is_enough(batch) for _ in range(2)] == [False, True]
    assert [alone.is_enough(batch) for _ in range(2)] == [False, False]
