"""The index -> sessions as rows of a list, each with how it stands now."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from unspool.decode.hooks import hook_event
from unspool.decode.sidecars import registry_entry
from unspool.derive.money.cost import usd
from unspool.derive.reading.clock import iso
from unspool.derive.status import TranscriptState, status
from unspool.errors import UnspoolError
from unspool.model.document import SessionInfo, Status, StatusName, TotalMetrics
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.listing import SessionSummary
from unspool.model.query import SessionListing, SessionQuery
from unspool.model.rows import SourceRow
from unspool.model.sidecars import RegistryEntry
from unspool.recall.archive import Archive
from unspool.recall.recall import Recall
from unspool.recall.swept import lines
from unspool.source.registry import registry

# What was said so lately may go on: its file is read, for all that the index does not keep.
_LIVELY_MS: Final = 600_000
_PAGE: Final = 200


class _Spent(Struct):
    """What the ledger says about a session beside its sums."""

    unpriced: set[str]
    is_lower_bound: bool = False


class Listing:
    """Lists what the index knows of some roots."""

    def __init__(self, archive: Archive, recall: Recall, roots: Sequence[Root], now: int) -> None:
        self._archive = archive
        self._recall = recall
        self._roots = roots
        self._now = now
        self._spent = self._ledger()
        self._live = self._registered()
        self._logs = self._hook_logs()

    def summaries(
        self, *, project: str = "", since: int | None = None, everything: bool = False
    ) -> Iterator[SessionSummary]:
        """Sessions, newest activity first; as many as are asked for are read."""
        for row in self._rows(since, everything):
            if project.lower() in row.project_id.lower() and self._is_ours(row):
                yield self._summary(row)

    def _rows(self, since: int | None, everything: bool) -> Iterator[SessionListing]:
        after: tuple[int, str] | None = None
        while True:
            asked = SessionQuery(since=since, everything=everything, after=after, limit=_PAGE)
            rows = self._archive.store.sessions(asked)
            yield from rows
            if len(rows) < _PAGE:
                return
            after = rows[-1].last_activity or 0, rows[-1].session_id

    def _is_ours(self, row: SessionListing) -> bool:
        for root in self._roots:
            within = Path(root.projects, root.only) if root.only else Path(root.projects)
            if Path(row.transcript_path).is_relative_to(within):
                return True
        return False

    def _summary(self, row: SessionListing) -> SessionSummary:
        is_lively = self._now - (row.last_activity or 0) < _LIVELY_MS
        if not row.source_gone and (is_lively or row.session_id in self._live):
            try:
                return self._recall.open(Path(row.transcript_path)).summary()
            except UnspoolError:
                pass  # it went away just now, and the index still knows it
        return self._kept(row)

    def _kept(self, row: SessionListing) -> SessionSummary:
        spent = self._spent.get((row.project_id, row.session_id), _Spent(set()))
        tokens = (
            row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_creation_tokens
        )  # fmt: skip
        return SessionSummary(
            session=self._info(row),
            metrics=TotalMetrics(
                input_tokens=row.input_tokens,
                output_tokens=row.output_tokens,
                cache_read_tokens=row.cache_read_tokens,
                cache_creation_tokens=row.cache_creation_tokens,
                total_tokens=sum(tokens),
                cost_usd=None if spent.unpriced and not row.usd_pico else usd(row.usd_pico),
                unpriced=tuple(sorted(spent.unpriced)),
                lower_bound=spent.is_lower_bound,
            ),
            agents=row.agents,
            compactions=row.compactions,
            lines=row.lines,
            has_subagents=bool(row.agents),
            source_gone=row.source_gone,
        )

    def _info(self, row: SessionListing) -> SessionInfo:
        start, end = row.start_time, row.last_activity
        return SessionInfo(
            id=row.session_id,
            project_id=row.project_id,
            project_path=row.cwd,
            project_name=re.split(r"[/\\]", row.cwd.rstrip("/\\"))[-1],
            title=row.title,
            goal=row.goal,
            slug=row.slug,
            git_branch=row.git_branch,
            version=row.version,
            model=row.model,
            start_time=iso(start),
            end_time=iso(end),
            duration_ms=0 if start is None or end is None else max(end - start, 0),
            status=self._status(row),
        )

    def _status(self, row: SessionListing) -> Status:
        state: StatusName = "ended" if row.status == "ended" else "idle"
        last = row.last_activity
        entry, alive = self._live.get(row.session_id, (None, None))
        events = [
            event
            for source in self._logs.get((row.project_id, row.session_id), ())
            for event in self._events(source)
        ]
        return status(TranscriptState(state, last, last), events, entry, alive, self._now)

    def _events(self, source: SourceRow) -> Iterator[HookEvent]:
        for line in lines(self._archive.store, source):
            event = hook_event(line[1]) if isinstance(line, tuple) else None
            if event is not None:
                yield event

    def _ledger(self) -> dict[tuple[str, str], _Spent]:
        found: dict[tuple[str, str], _Spent] = {}
        for total in self._archive.store.totals():
            if total.unpriced or total.lower_bound:
                key = total.project_id, total.session_id
                spent = found.setdefault(key, _Spent(set()))
                spent.is_lower_bound |= bool(total.lower_bound)
                if total.unpriced:
                    spent.unpriced.add(total.model or "unknown")
        return found

    def _registered(self) -> dict[str, tuple[RegistryEntry, bool]]:
        found = {}
        for root in self._roots:
            for one in registry(root.path):
                entry = registry_entry(one.data)
                if entry is not None and entry.session_id:
                    found[entry.session_id] = entry, one.alive
        return found

    def _hook_logs(self) -> dict[tuple[str, str], list[SourceRow]]:
        found = defaultdict(list)
        for source in self._archive.sources().values():
            if source.kind == "hook_log":
                found[source.project_id, source.session_id].append(source)
        return found
