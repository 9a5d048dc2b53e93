"""Rows of a machine's board <-> rows of the hub's: whose they are is decided by the key."""

import re
from typing import Final

import msgspec
from msgspec import structs

from unspool.derive.reading.clock import iso, millis, moment
from unspool.engine.sessions.grouping import last_part
from unspool.model.document import SessionInfo, SessionLinks, Status, StatusName
from unspool.model.files import NAME
from unspool.model.query import SessionKey
from unspool.model.secondary import MOST_ROW, SessionMetadata
from unspool.model.session import BoardRow
from unspool.remote_paths import project_prefix
from unspool.source.session_files import project_slug
from unspool.store.cleaning import cleaned
from unspool.store.postgres.live import UNKNOWN_MS, LiveRow

_NAME: Final = re.compile(NAME)
_row: Final = msgspec.json.Decoder(BoardRow)
_STATES: Final[dict[str, StatusName]] = {"active": "working", "ended": "ended"}
_INPUT: Final = ("input", "prompt", "idle")


def hub_name(name: SessionKey, machine: str) -> SessionKey | None:
    """Project and session as the hub names them; None where they are no names."""
    project, session = name
    if not (_NAME.fullmatch(project) and _NAME.fullmatch(session)):
        return None
    return project_prefix(machine) + project, session


def hub_row(row: BoardRow, machine: str) -> tuple[SessionKey, bytes] | None:
    """A row as it is kept; None where it has no name, or is too long."""
    clean: BoardRow = cleaned(row)
    info, process = clean.session, clean.process
    name = hub_name((info.project_id, info.id), machine)
    if name is None:
        return None
    # What ties it to other sessions is found among those that were sent.
    info = structs.replace(info, project_id=name[0], project_group=None, links=SessionLinks())
    if process is not None:
        process = structs.replace(process, host=machine)
    kept = structs.replace(clean, session=info, process=process, unknown_since=None)
    data = msgspec.json.encode(kept)
    return (name, data) if len(data) <= MOST_ROW else None


def shown_row(kept: LiveRow, now: int) -> BoardRow | None:
    """A row for the board; after a while without a sign of life nobody knows what it does."""
    try:
        row = _row.decode(kept.row)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None  # of another version of unspool
    if now - kept.seen_at < UNKNOWN_MS or row.session.status.state == "ended":
        return row
    since = iso(moment(kept.seen_at))
    info = structs.replace(row.session, status=Status("idle", since), pending_tool=None)
    return structs.replace(
        row, session=info, unknown_since=since, waits_for="", asks="", process=None, running=(),
        agents=(),
    )  # fmt: skip


def metadata_row(told: SessionMetadata) -> BoardRow:
    """A row of what claude-code-monitor says of a session."""
    waiting = told.waiting_state
    state = _STATES.get(told.status)
    if state is None:
        kind = waiting.type.lower() if waiting else ""
        asks_input = any(word in kind for word in _INPUT)
        state = "waiting_for_input" if asks_input else "waiting_for_approval"
    since = waiting.since if waiting else told.last_activity
    at = moment(since) if isinstance(since, int | float) else millis(since)
    return BoardRow(
        session=SessionInfo(
            id=told.session_id,
            project_id=told.project_id or (project_slug(told.cwd) if told.cwd else ""),
            project_path=told.cwd,
            project_name=last_part(told.cwd),
            git_branch=told.git_branch,
            model=told.model,
            origin="hook",
            start_time=iso(moment(told.start_time)),
            end_time=iso(moment(told.last_activity)),
            status=Status(state, iso(at), "hook"),
        )
    )
