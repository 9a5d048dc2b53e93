import pytest

from unspool.engine.indexing.folds import new_fold
from unspool.engine.indexing.logs import HookLogFold, JournalFold
from unspool.engine.indexing.transcript_rows import TranscriptRows
from unspool.model.files import FileKind, Root, TranscriptFile

ROOT = Root(1, "/r", "", "/r/projects")


@pytest.mark.parametrize(
    ("kind", "fold"),
    [
        ("main", TranscriptRows),
        ("subagent", TranscriptRows),
        ("legacy_subagent", TranscriptRows),
        ("workflow_subagent", TranscriptRows),
        ("journal", JournalFold),
        ("hook_log", HookLogFold),
    ],
)
def test_each_kind_of_file_has_its_reader(kind: FileKind, fold: type) -> None:
    file = TranscriptFile(ROOT, "/r/x.jsonl", "x.jsonl", kind, "p", "s", None, 0, 0, 0)

    assert type(new_fold(file, 7, 0)) is fold
