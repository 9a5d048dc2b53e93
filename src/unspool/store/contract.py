"""What every store does alike: which batch is due, and whose word on a session counts."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from unspool.errors import StoreError
from unspool.model.rows import Batch, HookRow, SessionRow, SourceRow
from unspool.model.usage import UsageRow

Row = TypeVar("Row", HookRow, SessionRow)

# A transcript knows more of its session than a hook, a hook more than its agents' transcripts.
_ORIGINS = {"transcript": 3, "hook": 2, "agents": 1}


def is_due(batch: Batch, newest: int | None, checkpoint: int | None) -> bool:
    """Whether to take a batch, given the newest generation and the checkpoint of its own.

    False: it has been taken. StoreError: something before it is missing, or it is out of date.
    """
    source, expected = batch.source, checkpoint or 0
    current = newest is None or source.generation >= newest
    if current and batch.begins == expected and source.offset >= expected:
        return True
    if checkpoint is not None and source.offset <= checkpoint:
        return False
    raise StoreError(
        f"{source.path}, generation {source.generation}: bytes {batch.begins} to {source.offset}"
        f" do not follow on {expected} of generation {newest or 0}; read the file again from there"
    )


def told(row: SessionRow, known: SessionRow | None) -> SessionRow | None:
    """What is known of a session after one more row about it; None where that is no news."""
    if known is None:
        return row
    if _ORIGINS.get(row.origin, 0) < _ORIGINS.get(known.origin, 0):
        return None
    new = row
    if row.origin == known.origin == "hook":
        new = _joined(known, row)
    elif row.origin == known.origin == "agents":
        new = _of_agents(known, row)
    return None if new == known else new


def _of_agents(known: SessionRow, row: SessionRow) -> SessionRow:
    """A session without a transcript of its own: the agent that began first speaks for it."""
    first = row if (row.start_time or 0) <= (known.start_time or 0) else known
    last = max(known.last_activity or 0, row.last_activity or 0) or None
    is_shown = known.is_displayable or row.is_displayable
    return replace(first, last_activity=last, is_displayable=is_shown)


def _joined(one: SessionRow, other: SessionRow) -> SessionRow:
    """Hooks of one session may lie in several files, none of which knows of the others."""
    first, last = sorted((one, other), key=lambda row: row.last_activity or 0)
    starts = [row.start_time for row in (one, other) if row.start_time is not None]
    return replace(
        last,
        cwd=last.cwd or first.cwd,
        transcript_path=last.transcript_path or first.transcript_path,
        goal=first.goal or last.goal,
        start_time=min(starts, default=None),
    )


def unpriced(_: UsageRow) -> int | None:
    """What a response costs where there is no price table."""
    return None


def owner(hook: HookRow, source: SourceRow) -> tuple[str, str]:
    """Project and session of a hook: its own, or else those of its file."""
    return hook.project_id or source.project_id, hook.session_id or source.session_id


def at_home(batch: Batch, project: Callable[[str], str]) -> Batch:
    """A batch whose hooks all say their project: as `project` knows it, or else its homes.

    An event that was posted names its session and nothing else.
    """
    if batch.source.project_id or not (batch.hooks or batch.sessions):
        return batch

    def placed(row: Row) -> Row:
        if row.project_id or not row.session_id:
            return row
        home = project(row.session_id) or batch.guesses.get(row.session_id, "")
        return replace(row, project_id=home)

    hooks, sessions = [placed(hook) for hook in batch.hooks], [placed(r) for r in batch.sessions]
    return replace(batch, hooks=hooks, sessions=sessions)


def is_stray(row: SessionRow) -> bool:
    """Whether nothing but its working directory says which project a session is of."""
    return row.origin == "hook" and not row.transcript_path
