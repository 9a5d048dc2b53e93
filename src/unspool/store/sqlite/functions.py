"""SQL functions of the views: what is kept small is shown in full."""

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias
from zlib import compress, crc32, decompress, error

import apsw
from msgspec.structs import astuple

from unspool.model.document import ProjectGroup
from unspool.model.live import SessionHooks
from unspool.model.query import StatusRow
from unspool.model.usage import QuotaRow
from unspool.remote_paths import machine_in
from unspool.store.sqlite.marks import MarkStore

# Place of a line -> what a search finds in it; None where nobody has its bytes any more.
Bodies: TypeAlias = Callable[[int, int, int, int], str | None]
# The same for its bytes, which cost less.
Lines: TypeAlias = Callable[[int, int, int, int], bytes | None]
# Project and session -> how it stands now.
StatusOf: TypeAlias = Callable[[str, str], StatusRow | None]

# Project -> the project that worktrees and clones of its repository are together.
GroupOf: TypeAlias = Callable[[str], ProjectGroup | None]

_LONG = 256


def teach(connection: apsw.Connection) -> None:
    """Make the functions known to a connection."""
    for function in (uuid_text, inflated, crc, lowered, machine_of_project):
        name, flags = function.__name__, apsw.SQLITE_INNOCUOUS
        connection.create_scalar_function(name, function, 1, deterministic=True, flags=flags)


def teach_marks(connection: apsw.Connection, marks: MarkStore) -> None:
    """Make known what the user decided about a session, and all of it as JSON."""

    def title(*name: Any) -> str:
        return marks.of(*name).title

    def hidden(*name: Any) -> bool:
        return marks.of(*name).hidden

    def pinned(*name: Any) -> bool:
        return marks.of(*name).pinned

    def every(*_: Any) -> str:
        return json.dumps([astuple(one) for one in marks.all().values()])

    flags = apsw.SQLITE_INNOCUOUS
    for function in (title, hidden, pinned):
        name = f"mark_{function.__name__}"
        connection.create_scalar_function(name, function, 2, flags=flags)
    connection.create_scalar_function("marks_json", every, 0, flags=flags)


def teach_quota(connection: apsw.Connection, quota: Callable[[], Iterable[QuotaRow]]) -> None:
    """Make known what Claude Code said of its usage limits, as JSON."""

    def every(*_: Any) -> str:
        return json.dumps(list(quota()))

    connection.create_scalar_function("quota_json", every, 0, flags=apsw.SQLITE_INNOCUOUS)


def teach_status(connection: apsw.Connection, status_of: StatusOf) -> None:
    """Make known how sessions stand and which calls run at the time of asking, if anyone knows."""

    def status_now(*of: Any) -> str | int | None:
        project, session, what = of
        found = status_of(project, session)
        return None if found is None else getattr(found, what)

    def call_runs(*of: Any) -> bool:
        project, session, agent, call = of
        found = status_of(project, session)
        return found is not None and (agent, call) in found.running

    flags = apsw.SQLITE_INNOCUOUS
    connection.create_scalar_function("status_now", status_now, 3, flags=flags)
    connection.create_scalar_function("call_runs", call_runs, 4, flags=flags)


def teach_groups(connection: apsw.Connection, group_of: GroupOf) -> None:
    """Make known which project a checkout belongs to at the time of asking."""

    def project_group(*of: Any) -> str | None:
        project, what = of
        found = group_of(project)
        return None if found is None else getattr(found, what)

    flags = apsw.SQLITE_INNOCUOUS
    connection.create_scalar_function("project_group", project_group, 2, flags=flags)


def teach_hooks(
    connection: apsw.Connection, session_hooks: Callable[[str, str], SessionHooks]
) -> None:
    """Make known which events of a session hooks tell of, as JSON."""

    def lines(*given: Any) -> str:
        project_id, session_id, has_hooks, rows = given
        told = session_hooks(project_id, session_id).lines if has_hooks else {}
        if not told:
            return str(rows)
        return json.dumps([(*row, *told.get(row[0], ())) for row in json.loads(rows)])

    def events(*name: Any) -> str:
        return json.dumps(session_hooks(*name).others)

    flags = apsw.SQLITE_INNOCUOUS
    connection.create_scalar_function("lines_with_hooks", lines, 4, flags=flags)
    connection.create_scalar_function("hook_only_events", events, 2, flags=flags)


def uuid_text(*kept_as: Any) -> str:
    """A uuid as it was written; the opposite of `packed_uuid`."""
    (kept,) = kept_as
    if not isinstance(kept, bytes):
        return kept or ""
    digits = kept.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def crc(*of: Any) -> int:
    """What a long id is looked up by."""
    (name,) = of
    return crc32(name.encode("utf-8", "replace"))


def lowered(*of: Any) -> str:
    """Text without case, in every alphabet."""
    (text,) = of
    return str(text).lower()


def deflated(text: str) -> str | bytes:
    """A long text in fewer bytes."""
    return text if len(text) < _LONG else compress(text.encode("utf-8", "replace"))


def machine_of_project(*of: Any) -> str:
    """The machine that a project's id begins with."""
    (project_id,) = of
    return machine_in(str(project_id))


def inflated(*kept_as: Any) -> str:
    """The text that `deflated` was given."""
    (kept,) = kept_as
    if not isinstance(kept, bytes):
        return kept or ""
    try:
        return decompress(kept).decode("utf-8", "replace")
    except error:
        return ""
