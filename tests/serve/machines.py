"""A machine whose index is sent to a store that many share, as its rows are named there."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from unspool.model.files import OutputFile
from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SessionRow, SourceRow
from unspool.remote_paths import remote_path
from unspool.store import Store
from unspool.store.sqlite.store import SqliteStore

MACHINE = "laptop"
PREFIX = f"{MACHINE}~"


class SendingStore(SqliteStore):
    """The index of a machine; whatever is written to it is written to the shared store, too."""

    def __init__(self, home: Path, shared: Store, **given: Any) -> None:
        super().__init__(home, **given)
        self._shared = shared

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        some, named = list(segments), list(sources)
        super().archive(some, named)
        numbered = [structs.replace(one, source_id=number(one.source_id)) for one in some]
        self._shared.archive(numbered, map(_source, named))

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        found = list(outputs)
        super().archive_outputs(found)
        self._shared.archive_outputs((_sent(file), data) for file, data in found)

    def commit(self, batches: Sequence[Batch], *given: Any) -> int:
        head = super().commit(batches, *given)
        self._shared.commit([_batch(one) for one in batches], *given)
        return head

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        super().put_agents(project_id, session_id, rows)
        self._shared.put_agents(PREFIX + project_id, session_id, rows)

    def mark_gone(self, source_ids: Collection[int], at: int) -> None:
        super().mark_gone(list(source_ids), at)
        self._shared.mark_gone([number(one) for one in source_ids], at)


def number(source_id: int) -> int:
    """The number that the shared store has for a source: another, but in the same order."""
    return source_id + 1


def _sent(row: Any) -> Any:
    """A row of a file, or of a session, as the shared store names it."""
    changes: dict[str, Any] = {}
    if getattr(row, "root", ""):
        changes["root"] = remote_path(MACHINE, row.root)
    if getattr(row, "transcript_path", ""):
        changes["transcript_path"] = remote_path(MACHINE, row.transcript_path)
    if row.project_id:
        changes["project_id"] = PREFIX + row.project_id
    return structs.replace(row, **changes)


def _source(row: SourceRow) -> SourceRow:
    made: SourceRow = structs.replace(_sent(row), source_id=number(row.source_id))
    return made


def _hook(row: HookRow) -> HookRow:
    source, _, place = row.event_id.partition(".")
    project = row.project_id and PREFIX + row.project_id
    event_id = f"{number(int(source))}.{place}"
    return structs.replace(row, event_id=event_id, project_id=project)


def _batch(batch: Batch) -> Batch:
    sessions: list[SessionRow] = [_sent(one) for one in batch.sessions]
    return structs.replace(
        batch,
        source=_source(batch.source),
        sessions=sessions,
        hooks=[_hook(one) for one in batch.hooks],
        guesses={id: PREFIX + project for id, project in batch.guesses.items()},
    )
