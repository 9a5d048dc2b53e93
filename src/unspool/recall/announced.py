"""Sessions of which only hooks or the registry tell so far -> facts like those of the others."""

import os
from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from unspool.derive.row_facts import hook_facts
from unspool.model.files import Root
from unspool.model.hooks import HookEvent
from unspool.model.listing import RowFacts
from unspool.recall.hooks import HookTail, Spooled
from unspool.recall.registered import Registered
from unspool.source.files import scan_files
from unspool.source.slugs import slug

_LOGS = frozenset({"hook_log"})


def project_of(transcript: str, cwd: str, roots: Sequence[Root]) -> str | None:
    """The project of a session, by what a hook says of it; None where it is none of these roots."""
    for root in roots:
        name = os.path.basename(os.path.dirname(transcript)) or slug(cwd)
        is_ours = not transcript or transcript.startswith(root.projects + os.sep)
        if is_ours and root.only in (None, name):
            return root.prefix + name
    return None


def home_of(found: Registered, roots: Sequence[Root]) -> str:
    """The project of a session, by the root in whose registry it stands."""
    for root in roots:
        if found.file.path.startswith(root.path + os.sep):
            return root.prefix + slug(found.entry.cwd or "")
    return slug(found.entry.cwd or "")


def announced_facts(
    id: str, events: Iterable[HookEvent], live: Registered | None, roots: Sequence[Root]
) -> RowFacts | None:
    """What is known of a session without a transcript; None where it is none of these roots."""
    facts = hook_facts(events, "", id)
    by_hook = project_of(facts.transcript_path, facts.cwd, roots)
    project = home_of(live, roots) if live and not facts.transcript_path else by_hook
    return None if project is None else structs.replace(facts, project_id=project)


def logged(
    roots: Sequence[Root], spooled: Spooled | None, is_known: Callable[[str], bool]
) -> dict[str, list[HookEvent]]:
    """What event logs and the spool tell of sessions that are not known otherwise."""
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
