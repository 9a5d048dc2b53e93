"""Rows as they were given -> what is shown of them, worked out the plain way."""

from collections.abc import Collection, Sequence
from typing import Any, TypeAlias

from msgspec.structs import asdict

from unspool.derive.usage.responses import QUARTER
from unspool.model.query import (
    ModelUsage,
    ProjectTotal,
    SearchHit,
    SessionKey,
    SessionListing,
    SessionQuery,
    TextQuery,
    TotalsGrain,
    TotalsQuery,
    UsageTotal,
)
from unspool.model.rows import Batch, SessionRow, SourceRow, StoredLine
from unspool.model.usage import OwnedUsage, UsageRow

# Quarter of an hour, project, session, agent and model.
TotalKey: TypeAlias = tuple[int, str, str, str, str]

_SEEN = [name for name in StoredLine.__struct_fields__ if name in SearchHit.__struct_fields__]


def name_of(source: SourceRow) -> SessionKey:
    """The session a file belongs to."""
    return source.project_id, source.session_id


def place_of(source: SourceRow) -> tuple[int, int]:
    """A source and its generation."""
    return source.source_id, source.generation


def named(source: SourceRow) -> SourceRow:
    """A file's names, without how far it has been read."""
    return SourceRow(
        source_id=source.source_id,
        root=source.root,
        path=source.path,
        kind=source.kind,
        project_id=source.project_id,
        session_id=source.session_id,
        agent_id=source.agent_id,
        generation=source.generation,
    )


def listing(
    told: SessionRow | SessionKey,
    sources: Sequence[SourceRow],
    batches: Sequence[Batch],
    hooks: int,
) -> SessionListing:
    """One session; without a transcript, only what other sources know."""
    if isinstance(told, tuple):
        told = SessionRow(project_id=told[0], session_id=told[1], origin="", is_displayable=False)
    lines = [line for batch in batches for line in batch.lines]
    main = next((source for source in sources if source.kind == "main"), None)
    return SessionListing(
        **asdict(told),
        events=sum(line.event_type != "" for line in lines),
        tool_calls=len({(b.source.source_id, c.tool_use_id) for b in batches for c in b.calls}),
        hooks=hooks,
        size=main.size if main else None,
        last_write=main.tail.mtime_ns // 1_000_000 if main else None,
        source_gone=_is_gone(sources),
    )


def model_usage(model: str, rows: Sequence[UsageRow]) -> ModelUsage:
    """A session's responses of one model, added up."""
    return ModelUsage(
        model,
        sum(row.tokens.input for row in rows),
        sum(row.tokens.output for row in rows),
        sum(row.tokens.cache_read for row in rows),
        sum(row.tokens.cache_write for row in rows),
        sum(row.tokens.write_5m for row in rows),
        sum(row.tokens.write_1h for row in rows),
        sum(row.usd_pico or 0 for row in rows),
        sum(row.usd_pico is None for row in rows),
        sum(not row.is_finished for row in rows),
    )


def _is_gone(sources: Sequence[SourceRow]) -> bool:
    deciding = [source for source in sources if source.kind == "main"] or sources
    return bool(deciding) and all(source.gone_at is not None for source in deciding)


def newest(row: SessionListing) -> tuple[int, str, str]:
    """What sessions are sorted by."""
    return row.last_activity or 0, row.session_id, row.project_id


def is_of(projects: Collection[str] | None, id: str) -> bool:
    """Whether a project is one of some."""
    return projects is None or id in projects


def is_asked(row: SessionListing, query: SessionQuery) -> bool:
    """Whether a session is one of those asked for."""
    return (
        is_of(query.projects, row.project_id)
        and row.project_id.startswith(query.prefix)
        and row.session_id.startswith(query.session)
        and query.id in ("", row.session_id)
        and (query.since is None or (row.last_activity or 0) >= query.since)
    )


def hit(batch: Batch, line_id: int, title: str) -> SearchHit:
    """A line of a batch as a search gives it."""
    source = batch.source
    line = next(line for line in batch.lines if line.line_id == line_id)
    shown: dict[str, Any] = {name: getattr(line, name) for name in _SEEN}
    shown["agent_id"] = line.agent_id or source.agent_id
    return SearchHit(
        **shown,
        source_id=source.source_id,
        generation=source.generation,
        project_id=source.project_id,
        session_id=source.session_id,
        title=title,
    )


def fits(hit: SearchHit, query: TextQuery) -> bool:
    """Whether a line is one of those asked for, whatever it says."""
    at = hit.line_id >> 22
    return (
        is_of(query.projects, hit.project_id)
        and hit.session_id.startswith(query.session)
        and (not query.kinds or hit.text_kind in query.kinds)
        and (query.since is None or at >= query.since)
        and (query.until is None or at <= query.until)
    )


def is_wanted(key: TotalKey, rows: Sequence[UsageRow], query: TotalsQuery) -> bool:
    """Whether the responses of one quarter of an hour are among those asked for."""
    _, project, _, _, model = key
    times = [row.timestamp or 0 for row in rows]
    return (
        is_of(query.projects, project)
        and query.model.lower() in model.lower()
        and (query.since is None or max(times) >= query.since)
        and (query.until is None or 0 < min(times) < query.until)
    )


def coarser(key: TotalKey, by: TotalsGrain) -> TotalKey:
    """What is left of a key where sums go further."""
    quarter, project, session, _, model = key
    keys: dict[str, TotalKey] = {
        "": key,
        "quarter": (quarter, "", "", "", model),
        "hour": (quarter - quarter % (4 * QUARTER), "", "", "", model),
        "session": (0, project, session, "", model),
        "project": (0, project, "", "", model),
        "model": (0, "", "", "", model),
    }
    return keys[by]


def total(key: TotalKey, rows: Sequence[UsageRow], by: TotalsGrain = "") -> UsageTotal:
    """Responses that share a key, added up; where sums go far, one without a time has none."""
    times = [row.timestamp or 0 for row in rows]
    dated = [at for at in times if at] if by else times
    return UsageTotal(
        *key,
        input_tokens=sum(row.tokens.input for row in rows),
        output_tokens=sum(row.tokens.output for row in rows),
        cache_read_tokens=sum(row.tokens.cache_read for row in rows),
        cache_creation_tokens=sum(row.tokens.cache_write for row in rows),
        web_searches=sum(row.tokens.web_searches for row in rows),
        usd_pico=sum(row.usd_pico or 0 for row in rows),
        unpriced=sum(row.usd_pico is None for row in rows),
        lower_bound=sum(not row.is_finished for row in rows),
        responses=len(rows),
        first_at=min(dated, default=0),
        last_at=max(times),
    )


def project_total(
    id: str, rows: Sequence[SessionListing], ledger: Sequence[OwnedUsage]
) -> ProjectTotal:
    """A project by its listed sessions, and what they own of a ledger."""
    mine = {row.session_id for row in rows}
    usage = [owned.row for owned in ledger if owned.session_id in mine]
    newest_first = sorted(rows, key=lambda row: row.last_activity or 0, reverse=True)
    return ProjectTotal(
        project_id=id,
        cwd=next((row.cwd for row in newest_first if row.cwd), ""),
        sessions=len(rows),
        first_activity=min(
            (row.start_time for row in rows if row.start_time is not None), default=None
        ),
        last_activity=max(
            (row.last_activity for row in rows if row.last_activity is not None), default=None
        ),
        input_tokens=sum(row.tokens.input for row in usage),
        output_tokens=sum(row.tokens.output for row in usage),
        cache_read_tokens=sum(row.tokens.cache_read for row in usage),
        cache_creation_tokens=sum(row.tokens.cache_write for row in usage),
        usd_pico=sum(row.usd_pico or 0 for row in usage),
        unpriced=sum(row.usd_pico is None for row in usage),
        lower_bound=sum(not row.is_finished for row in usage),
    )
