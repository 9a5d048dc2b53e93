"""A batch -> what of it leaves the machine where texts and bytes stay."""

import re
from typing import Final

from msgspec.structs import replace

from unspool.derive.row_facts import index_row, stored_facts
from unspool.model.rows import Batch, CauseRow, HookRow, SessionRow
from unspool.model.session import TranscriptState
from unspool.model.shipping import WITH_BYTES, ShipMode

_SEPARATORS: Final = re.compile(r"[/\\]")


def reduced(batch: Batch, mode: ShipMode) -> Batch:
    """A batch as a mode allows it; docs/hub.md has the table."""
    if mode in WITH_BYTES:
        return batch
    sessions = [_session(row, mode) for row in batch.sessions]
    if mode == "summary":
        return Batch(
            source=batch.source,
            begins=batch.begins,
            is_provisional=batch.is_provisional,
            usage=[row._replace(line_id=0) for row in batch.usage],
            sessions=sessions,
            guesses=batch.guesses,
        )
    return replace(
        batch,
        texts=[],
        files=[],
        causes=[_cause(row) for row in batch.causes],
        hooks=[_hook(row) for row in batch.hooks],
        oddities=[],
        sessions=sessions,
        facts=b"",
    )


def _session(row: SessionRow, mode: ShipMode) -> SessionRow:
    *_, project = _SEPARATORS.split(row.cwd.rstrip("/\\"))
    kept = replace(
        stored_facts(row),
        cwd=project,
        title="",
        goal="",
        recent_output=None,
        slug=None,
        git_branch=row.git_branch if mode == "metadata" else None,
        files_modified=None,
        todos=None,
        pull_requests=None,
        state=TranscriptState(),
    )
    return index_row(kept)


def _hook(row: HookRow) -> HookRow:
    return replace(row, handler_results="", input="", print=0)


def _cause(row: CauseRow) -> CauseRow:
    """That there was a prompt is no text; which command it was may be somebody's own word."""
    return replace(row, command=None if row.command is None else "")
