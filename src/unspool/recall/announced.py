"""Sessions of which only hooks or the registry tell so far -> rows like those of the others."""

import os
from collections.abc import Callable, Sequence

from msgspec import structs

from unspool.derive.approvals import hook_state
from unspool.derive.board_heard import Heard, heard_info, whereabouts
from unspool.derive.hooks import distinct_events
from unspool.derive.reading.clock import millis
from unspool.derive.status import TranscriptState, standing
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.listing import SessionSummary
from unspool.recall.hooks import HookTail, Spooled
from unspool.recall.registered import Registered, Registry
from unspool.source.files import scan_files
from unspool.source.slugs import project_of, slug

_LOGS = frozenset({"hook_log"})


def announced(
    roots: Sequence[Root], spooled: Spooled | None, is_known: Callable[[str], bool], now: int
) -> list[SessionSummary]:
    """Those of our roots that are not known otherwise, newest activity first."""
    told = _told(roots, spooled, is_known)
    live = {id: one for id, one in Registry(roots).sessions().items() if not is_known(id)}
    rows = [
        row
        for id in {*told, *(id for id, one in live.items() if one.alive)}
        if (row := _row(id, told.get(id, []), live.get(id), roots, now)) is not None
    ]
    return sorted(rows, key=last_activity, reverse=True)


def last_activity(row: SessionSummary) -> int:
    """When a session last gave a sign of life."""
    return millis(row.session.end_time) or 0


def home_of(found: Registered, roots: Sequence[Root]) -> str:
    """The project of a session, by the root in whose registry it stands."""
    cwd = found.entry.cwd or ""
    own = [root for root in roots if found.file.path.startswith(root.path + os.sep)]
    return project_of("", cwd, own) or slug(cwd)


def _told(
    roots: Sequence[Root], spooled: Spooled | None, is_known: Callable[[str], bool]
) -> dict[str, list[HookEvent]]:
    found: dict[str, list[HookEvent]] = {}
    tail = HookTail()
    for root in roots:
        for log in scan_files(root, _LOGS):
            id = log.session_id or ""
            if not is_known(id):
                found.setdefault(id, []).extend(tail.log(log.path, id))
    for id, events in spooled.sessions().items() if spooled else ():
        if id and not is_known(id):
            found.setdefault(id, []).extend(events)
    return found


def _row(
    id: str, events: list[HookEvent], live: Registered | None, roots: Sequence[Root], now: int
) -> SessionSummary | None:
    heard, placed = Heard(), distinct_events(events)
    for event in placed:
        heard.feed(event)
    transcript = next((path for path, _ in map(_where, placed) if path), "")
    by_hook = project_of(transcript, heard.cwd, roots)
    project = home_of(live, roots) if live and not transcript else by_hook
    if project is None:
        return None
    entry, alive = (live.entry, live.alive) if live else (None, None)
    info = heard_info(id, project, heard, entry)
    status = standing(TranscriptState(), hook_state(placed), entry, alive, now)
    return SessionSummary(session=structs.replace(info, status=status))


def _where(event: HookEvent) -> tuple[str, str]:
    return whereabouts(event.data)
