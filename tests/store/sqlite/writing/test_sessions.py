from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from unspool.model.rows import SessionRow
from unspool.store.sqlite.connection import open_writer
from unspool.store.sqlite.writing.pile import Pile
from unspool.store.sqlite.writing.sessions import _REMEMBERED, Sessions
from unspool.store.sqlite.writing.words import Words


def row(project: str = "-repo", **fields: Any) -> SessionRow:
    return SessionRow(project_id=project, session_id="s1", **fields)


@pytest.fixture
def sessions(tmp_path: Path) -> Any:
    with closing(open_writer(tmp_path / "index.db")) as connection:
        yield Sessions(connection, Words(connection), Pile(connection))


def test_the_same_again_is_no_news(sessions: Sessions) -> None:
    assert sessions.tell(row(title="a")) == ("-repo", "s1")
    assert sessions.tell(row(title="a")) is None
    assert sessions.tell(row(title="b")) == ("-repo", "s1")


def test_a_hook_adds_nothing_to_a_transcript(sessions: Sessions) -> None:
    sessions.tell(row(title="a"))

    assert sessions.tell(row(origin="hook", title="b")) is None


def test_of_two_projects_the_one_with_the_newest_activity_is_meant(sessions: Sessions) -> None:
    before = sessions.project("s1")
    sessions.tell(row("-old", last_activity=1))
    sessions.tell(row("-new", last_activity=2))

    assert (before, sessions.project("s1"), sessions.project("s2")) == ("", "-new", "")


def test_a_session_without_a_project_ends_when_there_is_one(sessions: Sessions) -> None:
    sessions.tell(row("", origin="hook"))
    sessions.tell(row("-repo"))

    assert sessions._connection.execute("SELECT project_id FROM session").fetchall() == [("-repo",)]


def test_what_a_rollback_took_back_is_news_again(sessions: Sessions) -> None:
    sessions.tell(row(title="a"))
    sessions._pile.forget()
    sessions.forget()

    assert sessions.tell(row(title="a")) == ("-repo", "s1")


def test_sessions_that_are_no_longer_remembered_are_read_back(sessions: Sessions) -> None:
    for number in range(_REMEMBERED + 1):
        sessions.tell(SessionRow(project_id="-repo", session_id=f"s{number}"))
    sessions._pile.write()
    sessions.tidy()

    assert sessions._known == {}
    assert sessions.tell(row()) is None
