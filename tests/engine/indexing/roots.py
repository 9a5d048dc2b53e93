"""Small roots on disk, and rows read from them through the real intake."""

import os
from pathlib import Path

from tests.derive.usage.books import TABLE
from unspool.demo import Transcript
from unspool.derive.usage.prices import Pricer
from unspool.engine.indexing.intake import Intake, IntakePiece
from unspool.model.files import Root, TranscriptFile
from unspool.model.rows import Batch, SourceRow
from unspool.source.roots import find_roots
from unspool.source.session_files import transcript_files

NOW = 1_790_000_000_000
PRICER = Pricer(TABLE)


def root_of(path: Path) -> Root:
    """A directory as a root, its projects made if they are missing."""
    (path / "projects").mkdir(parents=True, exist_ok=True)
    return find_roots([path], {}, path)[0]


def saved(path: Path, *transcripts: Transcript) -> Root:
    """A root with these transcripts in it, last written long ago."""
    for transcript in transcripts:
        age(transcript.save(path))
    return root_of(path)


def age(path: Path, *, seconds: int = 3600) -> Path:
    """Let a file's last write be some time before now."""
    at = NOW * 1_000_000 - seconds * 1_000_000_000
    os.utime(path, ns=(at, at))
    return path


def only_file(root: Root) -> TranscriptFile:
    """The one file of a root."""
    (file,) = transcript_files(root)
    return file


def taken(root: Root, known: SourceRow | None = None, now: int = NOW) -> list[IntakePiece]:
    """What an intake of the root's one file gives."""
    return list(Intake(only_file(root), known).batches(now))


def batch_of(path: Path, transcript: Transcript) -> Batch:
    """The rows of one transcript."""
    ((_, batch),) = taken(saved(path, transcript))
    return batch
