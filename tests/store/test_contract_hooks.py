"""Hook events: a log's are its session's, a spool's each of a session of their own."""

from typing import Any

from tests.store.made import START, Source
from tests.store.stores import EVERYTHING, AnyStore
from unspool.model.query import SessionQuery
from unspool.store.sqlite.store import SqliteStore


def spool(number: int = 7) -> Source:
    return Source(number, "", project="", kind="spool")


def heard(source: Source, session: str, id: str = "h1", **fields: object) -> Source:
    """Add an event of a session, and what it says of it."""
    source.line().hooks(id=id, session_id=session, project_id="-repo")
    names = {"session_id": session, "project_id": "-repo", "origin": "hook"}
    return source.tells(**{**names, "start_time": source.at, **fields})


def test_a_session_known_from_hooks_alone_is_a_session(store: AnyStore) -> None:
    store.commit([heard(spool(), "s1", goal="fix").batch()])
    (row,) = store.sessions(SessionQuery())

    assert (row.project_id, row.session_id, row.origin, row.goal) == ("-repo", "s1", "hook", "fix")


def test_a_transcript_makes_a_session_of_hooks_whole(store: AnyStore) -> None:
    store.commit([heard(spool(), "s1").batch()])
    store.commit([Source().line().tells(title="told", lines=1).batch()])
    store.commit([heard(spool(8), "s1", id="h2").batch()])
    (row,) = store.sessions(SessionQuery())

    assert (row.origin, row.title, row.lines) == ("transcript", "told", 1)
    assert store.status().hook_events == 2


def test_two_spools_tell_of_one_session_in_any_order(store: AnyStore) -> None:
    early, late = heard(spool(7), "s1", goal="first"), spool(8)
    late.at = START + 60_000
    heard(late, "s1", goal="then", cwd="/repo")
    store.commit([late.batch()])
    store.commit([early.batch()])
    (row,) = store.sessions(SessionQuery())

    assert (row.start_time, row.last_activity) == (START + 1000, START + 61_000)
    assert (row.goal, row.cwd) == ("first", "/repo")


def test_every_session_of_a_spool_is_told_of_in_the_feed(store: AnyStore) -> None:
    source = heard(heard(spool(), "s1"), "s2", id="h2")
    store.commit([source.batch()])

    assert [(change.session_id, change.kind) for change in store.changes()] == [
        ("", "lines"),
        ("s1", "session"),
        ("s2", "session"),
    ]


def test_an_event_without_a_project_has_its_files(store: AnyStore) -> None:
    store.commit([Source(kind="hook_log").line().hooks(session_id="s9").batch()])

    assert {(row.project_id, row.session_id) for row in store.sessions(EVERYTHING)} == {
        ("-repo", "s1"),
        ("-repo", "s9"),
    }


def test_events_of_one_id_in_two_sessions_are_two(store: AnyStore) -> None:
    store.commit([heard(heard(spool(), "s1"), "s2").batch()])

    assert (store.status().hook_events, store.status().hook_files) == (2, 1)


def test_events_are_listed_under_their_own_session(sqlite: SqliteStore) -> None:
    sqlite.commit([heard(heard(spool(), "s1"), "s2", id="h2").batch()])
    ask = "SELECT session_id, project_id, event_id FROM hook_events ORDER BY 1"

    assert sqlite.sql(ask)[1] == [("s1", "-repo", "h1"), ("s2", "-repo", "h2")]


def test_an_event_in_a_spool_answers_its_sessions_call(sqlite: SqliteStore) -> None:
    told: dict[str, Any] = {"session_id": "s1", "project_id": "-repo", "print": 9}
    told["duration_ms"] = None
    log = spool().line().hooks(**told)
    log.line().hooks("permission_request", "h2", tool_use_id="", **told)
    log.line().hooks("post_tool_use", "h3", **told)
    sqlite.commit([Source().line().calls().tells().batch(), log.batch()])

    assert sqlite.sql("SELECT waited_ms FROM tool_calls")[1] == [(1000,)]


def test_a_spool_that_begins_anew_takes_its_events_back(store: AnyStore) -> None:
    source = heard(spool(), "s1")
    store.commit([source.batch()])
    store.commit([source.restart().line().batch()])

    assert store.status().hook_events == 0


def posted(source: Source, session: str, id: str = "h1") -> Source:
    """Add an event that names its session and nothing else."""
    source.line().hooks(id=id, session_id=session)
    return source.tells(session_id=session, project_id="", origin="hook")


def test_an_event_without_a_project_goes_to_its_session(store: AnyStore) -> None:
    store.commit([Source().line().tells().batch()])
    store.commit([posted(spool(), "s1").batch()])

    assert [(hook.project_id, hook.session_id) for hook in store.hooks("-repo", "s1")] == [
        ("-repo", "s1")
    ]
    assert [row.project_id for row in store.sessions(SessionQuery())] == ["-repo"]


def test_an_event_that_comes_before_its_session_waits_for_it(store: AnyStore) -> None:
    store.commit([posted(spool(), "s1").batch()])
    before = [row.project_id for row in store.sessions(SessionQuery())]
    store.commit([Source().line().tells().batch()])

    assert (before, [hook.project_id for hook in store.hooks("-repo", "s1")]) == ([""], ["-repo"])
    assert [row.project_id for row in store.sessions(SessionQuery())] == ["-repo"]


def strayed(store: AnyStore) -> None:
    """An event that says its working directory and nothing else of where it belongs."""
    store.commit([posted(spool(), "s1").batch(guesses={"s1": "-elsewhere"})])


def test_an_event_without_a_project_is_at_home_in_its_directory(store: AnyStore) -> None:
    strayed(store)

    assert [row.project_id for row in store.sessions(SessionQuery())] == ["-elsewhere"]
    assert [hook.project_id for hook in store.hooks("-elsewhere", "s1")] == ["-elsewhere"]
    assert store.hook_sessions() == [("-elsewhere", "s1")]


def test_it_goes_to_its_session_when_that_is_known(store: AnyStore) -> None:
    strayed(store)
    store.commit([Source().line().tells().batch()])

    assert [row.project_id for row in store.sessions(SessionQuery())] == ["-repo"]
    assert [hook.project_id for hook in store.hooks("-repo", "s1")] == ["-repo"]
    assert store.hook_sessions() == []


def test_a_session_that_is_known_is_nearer_than_a_directory(store: AnyStore) -> None:
    store.commit([Source().line().tells().batch()])
    strayed(store)

    assert [row.project_id for row in store.sessions(SessionQuery())] == ["-repo"]


def test_each_session_of_a_spool_is_of_its_own_project(store: AnyStore) -> None:
    for number, (session, project) in enumerate([("s1", "-new"), ("s1", "-old"), ("s2", "-b")]):
        source = Source(number, session, project=project, at=START - number)
        store.commit([source.line().tells().batch()])
    source = spool()
    for session in ("s1", "s2", "s3", "s4"):
        posted(source, session, id=session)
    store.commit([source.batch(guesses={"s2": "-elsewhere", "s3": "-c"})])

    names = [("-new", "s1"), ("-b", "s2"), ("-c", "s3"), ("", "s4")]
    assert [[hook.event_id for hook in store.hooks(*name)] for name in names] == [
        ["s1"], ["s2"], ["s3"], ["s4"],
    ]  # fmt: skip


def test_a_session_whose_hooks_name_its_transcript_stays_where_it_is(store: AnyStore) -> None:
    path = {"transcript_path": "/r/projects/-repo/s1.jsonl"}
    other = {"project_id": "-other", "transcript_path": "/r/projects/-other/s1.jsonl"}
    source = spool().line().hooks(id="h1", session_id="s1", project_id="-repo")
    source.tells(session_id="s1", project_id="-repo", origin="hook", **path)
    store.commit([source.batch()])
    store.commit([Source(2, project="-other").line().tells(**other).batch()])

    assert sorted(row.project_id for row in store.sessions(SessionQuery())) == ["-other", "-repo"]


def test_events_of_a_session_come_oldest_first(store: AnyStore) -> None:
    log = Source(kind="hook_log").line().hooks(id="h2", input="x" * 900)
    early = spool(8)
    early.at = START - 5000
    store.commit([log.batch(), heard(heard(early, "s1"), "s2").batch()])
    rows = store.hooks("-repo", "s1")

    assert [(row.event_id, row.timestamp) for row in rows] == [
        ("h1", START - 4000),
        ("h2", START + 1000),
    ]
    assert (rows[1].input, rows[1].decision) == ("x" * 900, "allow")
    assert store.hooks("-repo", "nobody") == []


def test_what_was_written_can_be_settled(store: AnyStore) -> None:
    store.commit([heard(spool(), "s1").batch()])
    store.settle()

    assert len(store.hooks("-repo", "s1")) == 1
