"""Sessions without a transcript: known from hook events or the registry alone."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from unspool.derive.hooks import distinct_events
from unspool.derive.row_facts import hook_facts
from unspool.engine.hooks.events import HookTail, SpoolEvents
from unspool.engine.sessions.registry import RegisteredProcess, Registry
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.session import RowFacts
from unspool.source.claude_code import is_name
from unspool.source.files import scan_files
from unspool.source.session_files import project_of, project_slug

_LOGS = frozenset({"hook_log"})


class HookOnlySession(NamedTuple):
    """The facts of such a session, its events, and its process."""

    facts: RowFacts
    events: Sequence[HookEvent]
    live: RegisteredProcess | None


class _Logged(NamedTuple):
    project_id: str  # by the directory of its log
    events: list[HookEvent]


def hook_only_sessions(
    roots: Sequence[Root],
    spooled: SpoolEvents | None,
    is_known: Callable[[str], bool],
    session_id: str | None = None,
) -> Iterator[HookOnlySession]:
    """Those of some roots that are not known otherwise, in any order; all, or those of an id."""
    logged = _logged(roots, spooled, is_known, session_id)
    live = {id: one for id, one in Registry(roots).sessions().items() if not is_known(id)}
    for id in {*logged, *(id for id, one in live.items() if one.alive)}:
        project_id, events = logged.get(id, ("", []))
        found = hook_only_session(id, events, live.get(id), roots, project_id)
        if found is not None:
            yield found


def hook_only_session(
    id: str,
    told: Iterable[HookEvent],
    live: RegisteredProcess | None,
    roots: Sequence[Root],
    project_id: str = "",
) -> HookOnlySession | None:
    """One of them; None if it is not of these roots."""
    events = distinct_events(told)
    facts = hook_facts(events, project_id, id)
    by_hook = project_id or project_of(facts.transcript_path, facts.cwd, roots)
    project = registry_project(live, roots) if live and not facts.transcript_path else by_hook
    if project is None:
        return None
    return HookOnlySession(structs.replace(facts, project_id=project), events, live)


def registry_project(found: RegisteredProcess, roots: Sequence[Root]) -> str:
    """The project of a registered session, by the root of its registry."""
    cwd = found.entry.cwd or "/"
    own = [root for root in roots if found.file.path.startswith(root.path + os.sep)]
    return project_of("", cwd, own) or project_slug(cwd)


def _logged(
    roots: Sequence[Root],
    spooled: SpoolEvents | None,
    is_known: Callable[[str], bool],
    session_id: str | None,
) -> dict[str, _Logged]:
    found: dict[str, _Logged] = {}
    tail = HookTail()
    for root in roots:
        for log in scan_files(root, _LOGS):
            id = log.session_id or ""
            if not is_known(id):
                log_events = found.setdefault(id, _Logged(log.project_id, []))
                log_events.events.extend(tail.log(log.path, id))
    if spooled is None:
        return found
    names = spooled.names() if session_id is None else spooled.names_of(session_id)
    for project, id in names:
        if is_name(id) and not is_known(id):
            found.setdefault(id, _Logged("", [])).events.extend(spooled.of(project, id))
    return found
