"""What a reader of one source's lines must be able to do, whatever kind of file it is."""

from collections.abc import Iterable
from typing import Protocol

from unspool.engine.indexing.logs import HookLogFold, JournalFold, SpoolFold
from unspool.engine.indexing.rows import RowBatch
from unspool.engine.indexing.transcript_rows import TranscriptRows
from unspool.model.files import TranscriptFile
from unspool.model.rows import SessionRow
from unspool.model.sidecars import AgentMeta


class Fold(Protocol):
    """Takes every line of a source once, in order."""

    @property
    def lines(self) -> int:
        """How many lines it was fed."""

    def feed(self, lines: Iterable[tuple[int, bytes]], rows: RowBatch) -> None:
        """Take in the next lines, each with its offset, and write down what they add."""

    def feed_bad(self, offset: int, length: int, reason: str, rows: RowBatch) -> None:
        """Note a line that was not read, and why."""

    def state(self) -> bytes:
        """What it remembers, packed; nothing where its file is to be read again."""

    def resume(self, packed: bytes, uuids: Iterable[tuple[str, str]]) -> bool:
        """Go on from a state, given the uuids of the lines before; False where it cannot."""

    def sessions(self) -> list[SessionRow]:
        """What the source has to say about sessions since it was last asked."""

    def ties(self) -> tuple[int, ...]:
        """What its session has in common with others, so far."""

    def facts(self, meta: AgentMeta | None) -> bytes:
        """What linking agents needs of this source, packed, with its sidecar."""


def new_fold(file: TranscriptFile, source_id: int, generation: int) -> Fold:
    """The fold for a kind of file, before its first line."""
    if file.kind == "hook_log":
        return HookLogFold(source_id, generation, (file.project_id, file.session_id or ""))
    if file.kind == "spool":
        return SpoolFold(source_id, generation)
    if file.kind == "journal":
        return JournalFold()
    return TranscriptRows(file, source_id)
