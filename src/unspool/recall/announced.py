"""Sessions of which only hooks or the registry tell so far -> rows like those of the others."""

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import structs

from unspool.derive.approvals import hook_state
from unspool.derive.board_heard import Heard, heard_info, whereabouts
from unspool.derive.hooks import distinct_events
from unspool.derive.reading.clock import millis
from unspool.derive.status import TranscriptState, standing
from unspool.model.document import TotalMetrics
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.listing import SessionSummary
from unspool.recall.hooks import HookTail, Spooled
from unspool.recall.registered import Registered, Registry
from unspool.source.claude_code import is_name
from unspool.source.files import scan_files
from unspool.source.slugs import project_of, slug

_LOGS = frozenset({"hook_log"})


class _Told(NamedTuple):
    project_id: str  # of the directory its log lies in
    events: list[HookEvent]


def announced(
    roots: Sequence[Root],
    spooled: Spooled | None,
    is_known: Callable[[str], bool],
    now: int,
    *,
    archived: bool = True,
) -> list[SessionSummary]:
    """Those of our roots that are not known otherwise, newest activity first.

    Who lists what the index has needs none that are `archived`.
    """
    told = _told(roots, spooled, is_known, archived)
    live = {id: one for id, one in Registry(roots).sessions().items() if not is_known(id)}
    rows = [
        row
        for id in {*told, *(id for id, one in live.items() if one.alive)}
        if (row := _row(id, told.get(id, _Told("", [])), live.get(id), roots, now)) is not None
    ]
    return sorted(rows, key=last_activity, reverse=True)


def last_activity(row: SessionSummary) -> int:
    """When a session last gave a sign of life."""
    return millis(row.session.end_time) or 0


def home_of(found: Registered, roots: Sequence[Root]) -> str:
    """The project of a session, by the root in whose registry it stands."""
    cwd = found.entry.cwd or "/"
    own = [root for root in roots if found.file.path.startswith(root.path + os.sep)]
    return project_of("", cwd, own) or slug(cwd)


def _told(
    roots: Sequence[Root], spooled: Spooled | None, is_known: Callable[[str], bool], archived: bool
) -> dict[str, _Told]:
    found: dict[str, _Told] = {}
    tail = HookTail()
    for root in roots:
        for log in scan_files(root, _LOGS):
            id = log.session_id or ""
            if not is_known(id):
                told = found.setdefault(id, _Told(log.project_id, []))
                told.events.extend(tail.log(log.path, id))
    for project, id in spooled.names(archived=archived) if spooled else ():
        if spooled and is_name(id) and not is_known(id):
            found.setdefault(id, _Told("", [])).events.extend(spooled.of(project, id))
    return found


def _row(
    id: str, told: _Told, live: Registered | None, roots: Sequence[Root], now: int
) -> SessionSummary | None:
    heard, placed = Heard(), distinct_events(told.events)
    for event in placed:
        heard.feed(event)
    transcript = next((path for path, _ in map(_where, placed) if path), "")
    by_hook = told.project_id or project_of(transcript, heard.cwd, roots)
    project = home_of(live, roots) if live and not transcript else by_hook
    if project is None:
        return None
    entry, alive = (live.entry, live.alive) if live else (None, None)
    info = heard_info(id, project, heard, entry)
    status = standing(TranscriptState(), hook_state(placed), entry, alive, now)
    return SessionSummary(
        session=structs.replace(info, status=status),
        metrics=TotalMetrics(duration_ms=info.duration_ms),
    )


def _where(event: HookEvent) -> tuple[str, str]:
    return whereabouts(event.data)
