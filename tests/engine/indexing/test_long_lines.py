"""Lines that are too long to hold: kept with their place, archived in pieces."""

from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, root_of, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.intake import TOO_LONG, Intake
from unspool.engine.indexing.segments import PIECE
from unspool.model.files import Root
from unspool.model.query import TextQuery
from unspool.source.claude_code import MAX_LINE_BYTES
from unspool.source.session_files import transcript_files
from unspool.store.memory import MemoryStore

LONG = b'{"type":"user","text":"' + b"x" * MAX_LINE_BYTES + b'"}\n'


@pytest.fixture
def root(tmp_path: Path) -> Root:
    root = saved(tmp_path, Transcript().user("before"))
    path = Path(root.projects, "-repo", "s1.jsonl")
    with path.open("ab") as file:
        file.write(LONG + Transcript(uuid_prefix="n").user("after").bytes())
    age(path)
    return root_of(tmp_path)


def test_the_bytes_of_a_long_line_come_in_pieces_before_its_checkpoint(root: Root) -> None:
    (file,) = transcript_files(root)
    pieces = list(Intake(file).batches(NOW))
    sizes = [segment.end - segment.offset for segments, _ in pieces for segment in segments]

    assert (max(sizes), sum(sizes)) == (PIECE, file.size)
    assert max(len(segments) for segments, _ in pieces) == 1
    assert [bad.reason for _, batch in pieces for bad in batch.bad] == [TOO_LONG]
    offsets = [batch.source.offset for _, batch in pieces]
    assert offsets == sorted(offsets)
    assert len(set(offsets)) == 3


def test_a_long_line_is_archived_whole_and_its_neighbours_are_found(root: Root) -> None:
    store = MemoryStore()
    report = Indexer(store, [root], TABLE).sweep(NOW)
    (source,) = store.sources()
    data = Path(root.projects, "-repo", "s1.jsonl").read_bytes()

    assert (source.offset, source.lines, report.trouble) == (len(data), 3, ())
    assert store.raw(source.source_id, 0, 0, len(data)) == data
    assert [len(store.search(TextQuery(terms=word))) for word in ("before", "after")] == [1, 1]


def test_a_watcher_gets_past_a_long_line_piece_by_piece(root: Root) -> None:
    store, looks = MemoryStore(), 0
    indexer = Indexer(store, [root], TABLE)
    paths: tuple[str, ...] = (str(Path(root.projects, "-repo", "s1.jsonl")),)
    while paths and looks < 9:
        paths, looks = indexer.look(paths, NOW).again, looks + 1

    assert (paths, store.sources()[0].lines) == ((), 3)
