"""Rows as they were given -> what is shown of them, worked out the plain way."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from unspool.model.query import Hit, SessionListing, SessionQuery, TextQuery, UsageTotal
from unspool.model.rows import Batch, SessionRow, SourceRow, StoredLine
from unspool.model.usage import UsageRow

Name: TypeAlias = tuple[str, str]  # project and session

_TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
)  # as in `Tokens`
_TOLD = [name for name in SessionRow.__struct_fields__ if name in SessionListing.__struct_fields__]
_SEEN = [name for name in StoredLine.__struct_fields__ if name in Hit.__struct_fields__]


def name_of(source: SourceRow) -> Name:
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
    told: SessionRow | Name,
    sources: Sequence[SourceRow],
    batches: Sequence[Batch],
    spent: Sequence[UsageRow],
    agents: int,
) -> SessionListing:
    """One session; where no transcript has told of it, only what others know."""
    if isinstance(told, tuple):
        told = SessionRow(project_id=told[0], session_id=told[1], origin="")
    lines = [line for batch in batches for line in batch.lines]
    shown: dict[str, Any] = {name: getattr(told, name) for name in _TOLD}
    shown |= {name: sum(int(row.tokens[n]) for row in spent) for n, name in enumerate(_TOKENS)}
    return SessionListing(
        **shown,
        machine_id="",
        lines=len(lines),
        events=sum(line.event_type != "" for line in lines),
        tool_calls=len({(b.source.source_id, c.tool_use_id) for b in batches for c in b.calls}),
        agents=agents,
        usd_pico=sum(row.usd_pico or 0 for row in spent),
        unpriced=sum(row.usd_pico is None for row in spent),
        hidden=False,
        pinned=False,
        source_gone=_is_gone(sources),
    )


def _is_gone(sources: Sequence[SourceRow]) -> bool:
    deciding = [source for source in sources if source.kind == "main"] or sources
    return bool(deciding) and all(source.gone_at is not None for source in deciding)


def newest(row: SessionListing) -> tuple[int, str]:
    """What sessions are sorted by."""
    return row.last_activity or 0, row.session_id


def is_asked(row: SessionListing, query: SessionQuery) -> bool:
    """Whether a session is one of those asked for."""
    return (
        query.project.lower() in row.project_id.lower()
        and row.session_id.startswith(query.session)
        and query.status in ("", row.status)
        and (query.since is None or (row.last_activity or 0) >= query.since)
    )


def hit(batch: Batch, line_id: int, title: str) -> Hit:
    """A line of a batch as a search gives it."""
    source = batch.source
    line = next(line for line in batch.lines if line.line_id == line_id)
    shown: dict[str, Any] = {name: getattr(line, name) for name in _SEEN}
    shown["agent_id"] = line.agent_id or source.agent_id
    return Hit(
        **shown,
        source_id=source.source_id,
        generation=source.generation,
        project_id=source.project_id,
        session_id=source.session_id,
        title=title,
    )


def fits(hit: Hit, query: TextQuery) -> bool:
    """Whether a line is one of those asked for, whatever it says."""
    at = hit.line_id >> 22
    return (
        query.project.lower() in hit.project_id.lower()
        and hit.session_id.startswith(query.session)
        and (not query.kinds or hit.text_kind in query.kinds)
        and (query.since is None or at >= query.since)
        and (query.until is None or at <= query.until)
    )


def total(key: tuple[int, str, str, str, str], rows: Sequence[UsageRow]) -> UsageTotal:
    """Responses of one quarter of an hour, added up."""
    times = [row.timestamp or 0 for row in rows]
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
        first_at=min(times),
        last_at=max(times),
    )
