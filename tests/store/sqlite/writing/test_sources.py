from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.store.made import Source
from tests.store.stores import statements
from unspool.model.rows import SessionRow
from unspool.store.sqlite.connection import open_writer
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing.pending import PendingWrites
from unspool.store.sqlite.writing.sources import _REMEMBERED, Sessions
from unspool.store.sqlite.writing.strings import StringTable


def row(project: str = "-repo", **fields: Any) -> SessionRow:
    return SessionRow(project_id=project, session_id="s1", **fields)


@pytest.fixture
def sessions(tmp_path: Path) -> Any:
    with closing(open_writer(tmp_path / "index.db")) as connection:
        yield Sessions(connection, StringTable(connection), PendingWrites(connection))


def test_the_same_again_is_no_news(sessions: Sessions) -> None:
    assert sessions.tell(row(title="a")) == ("-repo", "s1")
    assert sessions.tell(row(title="a")) is None
    assert sessions.tell(row(title="b")) == ("-repo", "s1")


def test_a_hook_adds_nothing_to_a_transcript(sessions: Sessions) -> None:
    sessions.tell(row(title="a"))

    assert sessions.tell(row(origin="hook", title="b")) is None


def test_of_two_projects_the_one_with_the_newest_activity_is_meant(sessions: Sessions) -> None:
    before = sessions.projects(["s1"])
    sessions.tell(row("-old", last_activity=1))
    sessions.tell(row("-new", last_activity=2))

    assert (before, sessions.projects(["s1", "s2"])) == ({}, {"s1": "-new"})


def test_a_session_without_a_project_ends_when_there_is_one(sessions: Sessions) -> None:
    sessions.tell(row("", origin="hook"))
    sessions.tell(row("-repo"))

    assert sessions._connection.execute("SELECT project_id FROM session").fetchall() == [("-repo",)]


def test_what_a_rollback_took_back_is_news_again(sessions: Sessions) -> None:
    sessions.tell(row(title="a"))
    sessions._pending.forget()
    sessions.forget()

    assert sessions.tell(row(title="a")) == ("-repo", "s1")


def test_sessions_that_are_no_longer_remembered_are_read_back(sessions: Sessions) -> None:
    for number in range(_REMEMBERED + 1):
        sessions.tell(SessionRow(project_id="-repo", session_id=f"s{number}"))
    sessions._pending.write()
    sessions.tidy()

    assert sessions._known == {}
    assert sessions.tell(row()) is None


def asked(store: SqliteStore) -> list[str]:
    assert store._writer
    return statements(store._writer._tables._connection)


def test_a_file_that_grows_is_only_written_to(sqlite: SqliteStore) -> None:
    source = Source().line("first").tells()
    sqlite.commit([source.batch()])
    said = asked(sqlite)
    sqlite.commit([source.line("second").tells(title="new").batch()])

    read = [text for text in said if text.startswith("SELECT")]
    assert read == ["SELECT seq FROM sqlite_sequence WHERE name = 'change'"]


def test_files_of_one_commit_take_as_many_statements_as_one(sqlite: SqliteStore) -> None:
    sources = [Source(number, f"s{number}") for number in range(1, 9)]
    sqlite.commit([source.line("first").batch() for source in sources])
    said = asked(sqlite)
    sqlite.commit([source.line("more").batch() for source in sources])

    assert len({text for text in said if text.startswith(("INSERT", "UPDATE"))}) <= 8


def test_projects_are_asked_for_once_however_many_sessions_a_spool_tells_of(
    sqlite: SqliteStore,
) -> None:
    spool = Source(7, "", project="", kind="spool")
    for number in range(5):
        spool.line().hooks(id=f"h{number}", session_id=f"s{number}")
        spool.tells(session_id=f"s{number}", origin="hook")
    said = asked(sqlite)
    sqlite.commit([spool.batch()])

    assert len([text for text in said if text.startswith("SELECT session_id, project_id")]) == 1


def test_a_session_that_is_new_is_not_read_before_it_is_written(sqlite: SqliteStore) -> None:
    said = asked(sqlite)
    sqlite.commit([Source(number, f"s{number}").line().tells().batch() for number in range(1, 6)])

    assert not [text for text in said if text.startswith("SELECT project_id, session_id, cwd")]


def test_what_lies_behind_a_checkpoint_is_remembered(sqlite: SqliteStore) -> None:
    source = Source().line("whole")
    sqlite.commit([source.batch(), source.line("half").provisional()])
    sqlite.commit([source.line("all of it").batch()])

    assert sqlite.status().lines == 2


def test_a_file_that_moves_to_another_session_takes_its_hooks_along(sqlite: SqliteStore) -> None:
    source = Source(1, "").line().hooks()
    sqlite.commit([source.batch()])
    source.row = replace(source.row, session_id="s2")
    sqlite.commit([source.line().batch(), source.line().batch()])

    assert (len(sqlite.hooks("-repo", "s2")), sqlite.hooks("-repo", "")) == (1, [])


def test_sources_that_are_no_longer_remembered_go_on(sqlite: SqliteStore) -> None:
    first = Source(1).line("first")
    sqlite.commit([first.batch()])
    sqlite.commit([Source(number).line().batch() for number in range(2, _REMEMBERED + 2)])
    sqlite.commit([first.line("second").batch()])

    assert sqlite.status().lines == _REMEMBERED + 2
