"""What every store does alike: which batch is due, and whose word on a session counts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from unspool.derive.row_facts import index_row, join_agents, stored_facts
from unspool.errors import StoreError
from unspool.model.rows import Batch, HookRow, SessionRow, SourceRow
from unspool.model.usage import UsageRow

Row = TypeVar("Row", HookRow, SessionRow)

MESSAGE_TYPES = frozenset({"user", "assistant", "system", "attachment"})
# Tools whose calls change a file.
EDIT_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
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
        f" do not continue from {expected} of generation {newest or 0};"
        " read the file again from there"
    )


def newer_row(row: SessionRow, known: SessionRow | None) -> SessionRow | None:
    """What is known of a session after one more row about it; None where that is no news."""
    if known is None or not known.origin:
        return row
    new = _merge(row, known)
    return None if new == known else new


def _merge(row: SessionRow, known: SessionRow) -> SessionRow:
    if row.origin == known.origin == "hook":
        return _joined(known, row)
    if row.origin == known.origin == "agents":
        return _of_agents(known, row)
    # Of a transcript in which there is nothing to read, hooks that heard a prompt tell more.
    if row.origin == "transcript" and not row.is_displayable and known.origin == "hook":
        return _joined(row, known) if known.goal else row
    if row.origin == "hook" and known.origin == "transcript" and not known.is_displayable:
        return _joined(known, row) if row.goal else known
    is_less = _ORIGINS.get(row.origin, 0) < _ORIGINS.get(known.origin, 0)
    return known if is_less else row


def _of_agents(known: SessionRow, row: SessionRow) -> SessionRow:
    return index_row(join_agents([stored_facts(known), stored_facts(row)]))


def _joined(one: SessionRow, other: SessionRow) -> SessionRow:
    """Hooks of one session may lie in several files, none of which knows of the others.

    A transcript in which there is nothing to read yet adds what it has.
    """
    first, last = sorted((one, other), key=lambda row: row.last_activity or 0)
    read = one if one.lines is not None else other
    return replace(
        read,
        origin="hook",
        is_displayable=True,
        cwd=last.cwd or first.cwd,
        transcript_path=last.transcript_path or first.transcript_path,
        title=first.title or last.title,
        goal=first.goal or last.goal,
        model=last.model or first.model or read.model,
        start_time=min(_times(one.start_time, other.start_time), default=None),
        end_time=max(_times(one.end_time, other.end_time), default=None),
        last_activity=max(_times(one.last_activity, other.last_activity), default=None),
    )


def _times(*times: int | None) -> list[int]:
    return [at for at in times if at is not None]


def unpriced(_: UsageRow) -> int | None:
    """What a response costs where there is no price table."""
    return None


def owner(hook: HookRow, source: SourceRow) -> tuple[str, str]:
    """Project and session of a hook: its own, or else those of its file."""
    return hook.project_id or source.project_id, hook.session_id or source.session_id


def with_project(batch: Batch, projects: Callable[[Collection[str]], Mapping[str, str]]) -> Batch:
    """A batch whose hooks all say their project: as `projects` knows it, or else as guessed.

    An event that was posted names its session and nothing else. `projects` is asked for all of
    them at once: one spool may tell of very many sessions.
    """
    rows: Sequence[HookRow | SessionRow]
    rows = () if batch.source.project_id else (*batch.hooks, *batch.sessions)
    waiting = {row.session_id for row in rows if row.session_id and not row.project_id}
    if not waiting:
        return batch
    homes = {**batch.guesses, **projects(waiting)}

    def placed(row: Row) -> Row:
        if row.project_id or not row.session_id:
            return row
        return replace(row, project_id=homes.get(row.session_id, ""))

    hooks, sessions = [placed(hook) for hook in batch.hooks], [placed(r) for r in batch.sessions]
    return replace(batch, hooks=hooks, sessions=sessions)


def is_stray(row: SessionRow) -> bool:
    """Whether nothing but its working directory says which project a session is of."""
    return row.origin == "hook" and not row.transcript_path


def most_frequent(names: Iterable[str | None], limit: int) -> tuple[str, ...]:
    """Names by how often they come, without the empty one."""
    counts = Counter(name for name in names if name)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name))[:limit])
