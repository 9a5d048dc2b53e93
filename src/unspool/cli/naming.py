"""The SESSION argument -> the session, or what to say if it matches none or several."""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from unspool.cli import config, empty
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.errors import Ambiguous, NotFound, UnspoolError
from unspool.model.files import TranscriptFile
from unspool.redact import Redactor
from unspool.show import safe, times

_MOST_CANDIDATES: Final = 20
_LONGEST_TITLE: Final = 80


@contextmanager
def named_session(options: Namespace) -> Iterator[SessionReader]:
    """The session that the options name, or the agent of it that they name."""
    with config.open_stores(options.root).reading_sessions() as sessions:
        session = sessions.open(find_session(sessions, options, options.project))
        agent = getattr(options, "agent", None)
        yield session.agent(agent) if agent else session


def session_id(options: Namespace) -> str:
    """The id of the session that the options name."""
    with config.open_stores(options.root).reading_sessions() as sessions:
        return find_session(sessions, options, None).session_id or ""


def find_session(sessions: RootSessions, options: Namespace, project: str | None) -> TranscriptFile:
    """The file of the session that the options name; what it may be instead, with titles."""
    name = options.session
    try:
        return sessions.find(name, project=project)
    except Ambiguous as error:
        shown = [_describe(sessions, id, project) for id in error.candidates[:_MOST_CANDIDATES]]
        more = len(error.candidates) - len(shown)
        raise Ambiguous(str(error), _aligned(shown) + [f"and {more} more"] * bool(more)) from error
    except NotFound as error:
        is_path = os.sep in name or name.endswith(".jsonl")
        raise NotFound((not is_path and empty.note(options.root)) or str(error)) from error


def _describe(sessions: RootSessions, id: str, project: str | None) -> tuple[str, str, str]:
    """Its id, the day it was last active, and its title."""
    try:
        row = sessions.open(sessions.find(id, project=project)).summary()
    except UnspoolError:
        return id, "", ""
    title = safe.brief(Redactor().text(row.session.title), _LONGEST_TITLE)
    return id, times.date(row.last_activity, config.now()), title


def _aligned(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    ids, days = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{id:{ids}}  {day:>{days}}  {title}".rstrip() for id, day, title in rows]
