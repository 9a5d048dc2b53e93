"""The index -> sessions as rows of a list, each with how it stands now."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from unspool.derive.hooks import distinct_events
from unspool.derive.reading.clock import iso
from unspool.derive.status import TranscriptState, status
from unspool.derive.usage.prices import usd
from unspool.errors import UnspoolError
from unspool.model.document import Origin, SessionInfo, Status, StatusName, TotalMetrics
from unspool.model.files import Root
from unspool.model.listing import SessionSummary
from unspool.model.query import SessionListing, SessionQuery
from unspool.recall.announced import last_activity
from unspool.recall.archive import Archive
from unspool.recall.hooks import recorded
from unspool.recall.recall import Recall
from unspool.recall.registered import Registry
from unspool.recall.still import Still

# What was said so lately may go on: its file is read, for all that the index does not keep.
_LIVELY_MS: Final = 600_000
_PAGE: Final = 200
_FEW: Final = 20
_ORIGINS: Final[dict[str, Origin]] = {"hook": "hook", "agents": "agents", "registry": "registry"}


class _Spent(Struct):
    """What the ledger says about a session beside its sums."""

    unpriced: set[str]
    is_lower_bound: bool = False


class Listing:
    """Lists what the index knows of some roots; who lists often gives it what to remember."""

    def __init__(
        self,
        archive: Archive,
        recall: Recall,
        roots: Sequence[Root],
        now: int,
        still: Still | None = None,
    ) -> None:
        self._archive = archive
        self._still = still or Still()
        self._recall = recall
        recall.ask_owners(archive.store)
        self._roots = roots
        self._now = now
        self._spent = self._ledger()
        self._live = Registry(roots).sessions()

    def summaries(
        self, *, project: str = "", since: int | None = None, everything: bool = False
    ) -> Iterator[SessionSummary]:
        """Sessions, newest activity first; as many as are asked for are read."""
        wanted = project.lower()
        others = self._recall.announced(lambda id: self._is_known(id, everything))
        heard = {row.session.id for row in others}
        others = [
            row
            for row in others
            if last_activity(row) >= (since or 0) and wanted in row.session.project_id.lower()
        ]
        for row in self._rows(since, everything):
            # One that can be shown since we asked is there once all the same.
            is_listed = self._is_ours(row) and row.session_id not in heard
            if wanted in row.project_id.lower() and is_listed:
                while others and last_activity(others[0]) >= (row.last_activity or 0):
                    yield others.pop(0)
                yield self._summary(row)
        yield from others

    def _is_known(self, session_id: str, everything: bool) -> bool:
        """Whether its transcript is listed, or left out: one just begun may soon have a word."""
        rows = list(self._of(session_id, everything=True))
        if everything or not any(map(self._is_lately, rows)):
            return bool(rows)
        return any(True for _ in self._of(session_id))

    def _of(self, session_id: str, *, everything: bool = False) -> Iterator[SessionListing]:
        asked = SessionQuery(session=session_id, everything=everything, limit=_FEW)
        rows = self._archive.store.sessions(asked)
        return (row for row in rows if row.session_id == session_id and row.transcript_path)

    def _is_lately(self, row: SessionListing) -> bool:
        live = self._live.get(row.session_id)
        is_alive = live is not None and live.alive
        return is_alive or self._now - (row.last_activity or 0) < _LIVELY_MS

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
        if not row.transcript_path:
            return row.origin == "hook"  # told of by events that name no file
        for root in self._roots:
            within = Path(root.projects, root.only) if root.only else Path(root.projects)
            if Path(row.transcript_path).is_relative_to(within):
                return True
        return False

    def _summary(self, row: SessionListing) -> SessionSummary:
        if not row.source_gone and (self._is_lately(row) or row.session_id in self._live):
            try:
                return self._recall.open(Path(row.transcript_path)).summary()
            except UnspoolError:
                pass  # it went away just now, and the index still knows it
        known = self._still.row(row, self._now)
        if known is not None:
            return known
        made = self._made(row)
        if row.session_id not in self._live:
            self._still.keep(row, made, self._now)
        return made

    def _made(self, row: SessionListing) -> SessionSummary:
        spent = self._spent.get((row.project_id, row.session_id), _Spent(set()))
        return SessionSummary(
            session=structs.replace(info(row), status=self._status(row)),
            metrics=metrics(row, tuple(sorted(spent.unpriced)), spent.is_lower_bound),
            agents=row.agents,
            compactions=row.compactions,
            lines=row.lines,
            has_subagents=bool(row.agents),
            source_gone=row.source_gone,
        )

    def _status(self, row: SessionListing) -> Status:
        state: StatusName = "ended" if row.status == "ended" else "idle"
        last = row.last_activity
        live = self._live.get(row.session_id)
        entry, alive = (live.entry, live.alive) if live else (None, None)
        events = recorded(self._archive.store, row.project_id, row.session_id)
        events += self._recall.spooled(row.project_id, row.session_id)
        is_written = row.origin == "transcript"
        said = TranscriptState(state, last, last) if is_written else TranscriptState()
        return status(said, distinct_events(events), entry, alive, self._now)

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


def info(row: SessionListing) -> SessionInfo:
    """Who, where and when, by the index; how it stands is for others to add."""
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
        origin=_ORIGINS.get(row.origin, "transcript"),
        start_time=iso(start),
        end_time=iso(end),
        duration_ms=0 if start is None or end is None else max(end - start, 0),
    )


def metrics(row: SessionListing, unpriced: tuple[str, ...], is_lower_bound: bool) -> TotalMetrics:
    """What it used, by the index; `unpriced` are the models without a price."""
    tokens = (
        row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_creation_tokens
    )  # fmt: skip
    return TotalMetrics(
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cache_read_tokens=row.cache_read_tokens,
        cache_creation_tokens=row.cache_creation_tokens,
        total_tokens=sum(tokens),
        cost_usd=None if unpriced and not row.usd_pico else usd(row.usd_pico),
        unpriced=unpriced,
        lower_bound=is_lower_bound,
    )
