from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.timeline_oracle import group_rows
from tests.store.made import START, Source, agent, price
from unspool.model.query import SessionQuery, StatusRow
from unspool.store.sqlite.functions import StatusOf
from unspool.store.sqlite.store import SqliteStore


def rows(store: SqliteStore, ask: str) -> list[tuple[object, ...]]:
    return store.sql(ask)[1]


def test_sessions_are_walked_by_an_index_however_many_there_are(sqlite: SqliteStore) -> None:
    with sqlite._readers.take() as connection:
        ask = (
            "EXPLAIN QUERY PLAN SELECT * FROM sessions"
            " ORDER BY coalesce(last_activity, 0) DESC, session_id DESC LIMIT 50"
        )
        plan = [str(row[-1]) for row in connection.execute(ask).fetchall()]

    assert "SCAN e USING INDEX session_newest" in plan
    assert not any("TEMP B-TREE" in step for step in plan)


def test_a_line_is_shown_with_what_it_repeats(sqlite: SqliteStore) -> None:
    one, two = "01234567-89ab-4cde-8f01-23456789abcd", "not a usual uuid"
    source = Source().line(uuid=one, message_id="msg_1", request_id="req_1")
    source.line(uuid=two, parent_uuid=one, message_id="msg_1", request_id="req_1")
    source.line(parent_uuid=two, message_id="msg_2").line(parent_uuid="elsewhere")
    sqlite.commit([source.batch()])

    ask = "SELECT uuid, parent_uuid, message_id, request_id FROM lines ORDER BY line_number"
    assert rows(sqlite, ask) == [
        (one, "", "msg_1", "req_1"),
        (two, one, "msg_1", "req_1"),
        ("", two, "msg_2", ""),
        ("", "elsewhere", "", ""),
    ]


def test_a_line_may_have_another_time_than_its_id_or_none(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line(timestamp=None).line(timestamp=5).line().batch()])

    assert rows(sqlite, "SELECT timestamp FROM lines ORDER BY line_number") == [
        (None,),
        (5,),
        (START + 3000,),
    ]


def test_a_call_is_shown_with_its_answer(sqlite: SqliteStore) -> None:
    source = Source().line().calls("Bash", agent="a1").line().answers(state="error").tells()
    sqlite.commit([source.batch()])

    ask = "SELECT name, agent_id, state, start_time, duration_ms, is_error FROM tool_calls"
    assert rows(sqlite, ask) == [("Bash", "a1", "error", START + 1000, 1000, 1)]


def test_a_session_stands_as_whoever_knows_says_at_every_question(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().calls().calls(id="toolu_2").tells().batch()])
    moments = iter(("working", "idle"))

    def statuses() -> StatusOf:
        state = next(moments)
        running = {("", "toolu_1")} if state == "working" else ()
        return lambda *_: StatusRow(state, "hook", START, "{}", frozenset(running))

    sqlite.statuses = statuses
    ask = """SELECT s.status, s.status_evidence, s.status_since, s.waiting_state, c.state
        FROM sessions AS s JOIN tool_calls AS c USING (session_id) ORDER BY c.tool_use_id"""

    assert rows(sqlite, ask) == [
        ("working", "hook", START, "{}", "running"),
        ("working", "hook", START, "{}", "no_result"),
    ]
    assert [(row[0], row[-1]) for row in rows(sqlite, ask)] == [("idle", "no_result")] * 2


def test_where_nobody_knows_how_a_session_stands_it_is_unknown(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().calls().tells().batch()])

    assert rows(sqlite, "SELECT status, status_evidence FROM sessions") == [(None, None)]
    assert rows(sqlite, "SELECT state FROM tool_calls") == [("no_result",)]


def test_an_answer_may_come_before_its_call(sqlite: SqliteStore) -> None:
    source = Source().line().answers()
    sqlite.commit([source.batch()])
    alone = rows(sqlite, "SELECT name FROM tool_calls")
    sqlite.commit([source.line().calls("Read").batch()])

    assert alone == []
    assert rows(sqlite, "SELECT name, state, duration_ms FROM tool_calls") == [("Read", "ok", None)]


def test_the_first_call_and_the_first_answer_count(sqlite: SqliteStore) -> None:
    source = Source().line().calls("Bash").line().answers(state="ok")
    sqlite.commit(
        [source.batch(), source.line().calls("Read").line().answers(state="error").batch()]
    )

    assert rows(sqlite, "SELECT name, state FROM tool_calls") == [("Bash", "ok")]


def test_a_call_of_one_file_is_answered_in_another(sqlite: SqliteStore) -> None:
    helper = Source(2, kind="subagent", agent="a1", at=START + 500).line().answers(state="rejected")
    sqlite.commit([helper.batch(), Source().line().calls().batch()])

    assert rows(sqlite, "SELECT name, state, duration_ms FROM tool_calls") == [
        ("Bash", "rejected", 500)
    ]


def hooked(*told: tuple[str, int], **fields: object) -> Source:
    """A log of events a second apart, each with what the tool was given; requests name no call."""
    log = Source(2, kind="hook_log")
    for number, (event, print) in enumerate(told):
        id = "" if event == "permission_request" else "toolu_1"
        known = {"tool_use_id": id, "decision": "", "duration_ms": None, **fields}
        log.line().hooks(event, f"h{number}", print=print, **known)
    return log


ASKED = (("pre_tool_use", 9), ("permission_request", 9), ("post_tool_use", 9))


def test_a_call_waits_from_the_request_to_its_run(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().calls().batch(), hooked(*ASKED).batch()])

    assert rows(sqlite, "SELECT waited_ms FROM tool_calls") == [(1000,)]


def test_the_time_a_tool_ran_is_no_waiting(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().calls().batch(), hooked(*ASKED, duration_ms=400.0).batch()])

    assert rows(sqlite, "SELECT waited_ms FROM tool_calls") == [(600,)]


def test_a_call_that_nobody_was_asked_about_waits_for_nothing(sqlite: SqliteStore) -> None:
    log = hooked(("pre_tool_use", 9), ("post_tool_use", 9))
    sqlite.commit([Source().line().calls().batch(), log.batch()])

    assert rows(sqlite, "SELECT waited_ms FROM tool_calls") == [(None,)]


def test_a_request_with_other_input_is_the_calls_if_it_is_the_only_one(sqlite: SqliteStore) -> None:
    one = hooked(("pre_tool_use", 9), ("permission_request", 8), ("permission_denied", 9))
    sqlite.commit([Source().line().calls().batch(), one.batch()])

    assert rows(sqlite, "SELECT waited_ms FROM tool_calls") == [(1000,)]


def test_of_two_requests_with_other_input_neither_is_the_calls(sqlite: SqliteStore) -> None:
    asked = ("permission_request", 8)
    two = hooked(("pre_tool_use", 9), asked, asked, ("post_tool_use", 9))
    sqlite.commit([Source().line().calls().batch(), two.batch()])

    assert rows(sqlite, "SELECT waited_ms FROM tool_calls") == [(None,)]


def test_a_refusal_ends_the_waiting(sqlite: SqliteStore) -> None:
    main = Source().line().calls().line().line().line().answers(state="rejected")
    log = hooked(("pre_tool_use", 9), ("permission_request", 9))
    sqlite.commit([main.batch(), log.batch()])
    asked = "SELECT decision FROM hook_events WHERE event_type = 'permission_request'"

    assert rows(sqlite, "SELECT waited_ms FROM tool_calls") == [(2000,)]
    assert rows(sqlite, asked) == [("deny",)]


@pytest.mark.parametrize(
    ("end", "decision"),
    [("post_tool_use", "allow"), ("post_tool_use_failure", "allow"), ("permission_denied", "deny")],
)
def test_what_became_of_a_request_is_its_answer(
    sqlite: SqliteStore, end: str, decision: str
) -> None:
    log = hooked(("pre_tool_use", 9), ("permission_request", 9), (end, 9))
    sqlite.commit([Source().line().calls().batch(), log.batch()])
    ask = "SELECT decision FROM hook_events ORDER BY timestamp"

    assert rows(sqlite, ask) == [("",), (decision,), ("",)]
    assert [hook.decision for hook in sqlite.hooks("-repo", "s1")] == ["", "", ""]


def test_a_hook_is_joined_to_its_call(sqlite: SqliteStore) -> None:
    log = Source(2, kind="hook_log").line().hooks(decision="block", input='{"a":1}')
    log.line().hooks("stop", "h2", tool_use_id="")
    sqlite.commit([Source().line().calls("Bash").batch(), log.batch()])

    ask = "SELECT event_type, decision, input, call_name, type FROM hook_join ORDER BY event_id"
    assert rows(sqlite, ask) == [
        ("pre_tool_use", "block", '{"a":1}', "Bash", "user"),
        ("stop", "allow", '{"command":"ls"}', None, "user"),
    ]


def test_a_hook_that_two_logs_tell_is_one(sqlite: SqliteStore) -> None:
    for number in (2, 3):
        sqlite.commit([Source(number, kind="hook_log").line().hooks(id="same").batch()])

    assert rows(sqlite, "SELECT count(*) FROM hook_events") == [(1,)]


@given(
    st.lists(
        st.tuples(st.sampled_from(["=a", "~a", "~b"]), st.integers(0, 20)), min_size=1, max_size=12
    )
)
def test_the_view_has_the_events_that_readers_find(told: list[tuple[str, int]]) -> None:
    log = Source(2, kind="hook_log")
    for number, (key, seconds) in enumerate(told):
        log.at = START + seconds * 1_000
        log.line(event_type="").hooks("stop", f"h{number:02}", key=key, tool_use_id="")
    with TemporaryDirectory() as place, closing(SqliteStore(Path(place))) as store:
        store.commit([log.batch()])
        shown = rows(store, "SELECT event_id FROM hook_events ORDER BY event_id")
        found = group_rows(store.hooks("-repo", "s1"))

    assert shown == sorted((group[0].event_id,) for group in found)


def test_events_are_one_timeline_with_tokens_so_far(sqlite: SqliteStore) -> None:
    main = (
        Source().line(event_type="user_prompt").line(event_type="assistant_text").spends("m:1", 5)
    )
    main.line(event_type="").line(event_type="pre_tool_use").calls().spends("m:2", 7)
    main.line(event_type="post_tool_use").answers()
    sqlite.commit([main.batch()])

    columns = "event_id, event_type, tokens_output, tool_name, duration_ms"
    ask = f"SELECT {columns} FROM events ORDER BY timestamp"  # noqa: S608
    assert rows(sqlite, ask) == [
        ("1.0.0", "user_prompt", 0, "", None),
        ("1.0.100", "assistant_text", 5, "", None),
        ("1.0.300", "pre_tool_use", 12, "Bash", None),
        ("1.0.400", "post_tool_use", 12, "Bash", 1000),
    ]


def test_tokens_add_up_over_the_files_of_one_session(sqlite: SqliteStore) -> None:
    main, side = Source(1), Source(2, kind="subagent", agent="a1", at=START + 500)
    log = Source(3, kind="hook_log", at=START + 700)
    for number in range(3):
        main.line(event_type="assistant_text").spends(f"m:{number}", 1)
        side.line(event_type="assistant_text").spends(f"s:{number}", 10)
        log.line(event_type="").hooks("notification", f"h{number}", tool_use_id="")
    other = Source(4, "s2").line(event_type="assistant_text").spends("o:1", 100)
    same_name = Source(5, project="-fork").line(event_type="assistant_text").spends("f:1", 1000)
    sqlite.commit([source.batch() for source in (main, side, log, other, same_name)])

    ask = "SELECT tokens_output, source FROM events WHERE session_id = 's1' ORDER BY 1, 2"
    assert rows(sqlite, ask) == [
        (1, "transcript"),
        (11, "hook"),
        (11, "transcript"),
        (12, "transcript"),
        (22, "hook"),
        (22, "transcript"),
        (23, "transcript"),
        (33, "hook"),
        (33, "transcript"),
        (1000, "transcript"),
    ]


def test_a_hook_and_its_line_are_one_event(sqlite: SqliteStore) -> None:
    main = Source().line(event_type="pre_tool_use").calls()
    log = Source(2, kind="hook_log").line(event_type="").hooks("pre_tool_use")
    log.line(event_type="").hooks("post_tool_use", "h2").line(event_type="").hooks("stop", "h3")
    sqlite.commit([main.batch(), log.batch()])

    assert rows(sqlite, "SELECT event_type, source FROM events ORDER BY timestamp, 1") == [
        ("pre_tool_use", "transcript,hook"),
        ("post_tool_use", "hook"),
        ("stop", "hook"),
    ]


def test_an_agent_shows_what_it_used(sqlite: SqliteStore) -> None:
    source = Source().line().spends("m:1", 5, agent_id="a1").line().spends("m:2", 7)
    sqlite.commit([source.batch()], price)
    sqlite.put_agents("-repo", "s1", [agent("a1", depth=2)])

    assert rows(sqlite, "SELECT agent_id, depth, tokens, usd_pico FROM agents") == [
        ("a1", 2, 128, 1000)
    ]


def test_superseded_lines_and_bad_lines_stay_readable(sqlite: SqliteStore) -> None:
    source = Source().line().bad().wonders()
    sqlite.commit([source.batch()])
    sqlite.commit([source.restart().line().wonders().batch()])

    assert rows(sqlite, "SELECT generation, superseded FROM lines ORDER BY 1") == [(0, 1), (1, 0)]
    assert rows(sqlite, "SELECT reason, superseded FROM bad_lines") == [("damaged", 1)]
    assert rows(sqlite, "SELECT name, count FROM oddities") == [("new-type", 1)]


def test_files_are_found_by_path(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().touches("/a").line().touches("/b", "Write").batch()])

    ask = "SELECT tool, line_number FROM files_touched JOIN lines USING (line_id) WHERE path = '/b'"
    assert rows(sqlite, ask) == [("Write", 2)]


def test_a_long_hook_input_is_shown_whole(sqlite: SqliteStore) -> None:
    long = '{"content":"' + "line " * 1000 + '"}'
    sqlite.commit([Source(2, kind="hook_log").line().hooks(input=long).batch()])

    assert rows(sqlite, "SELECT input FROM hook_events") == [(long,)]


def test_the_day_of_a_response_is_told(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().spends("m:1", at=START, is_finished=False).batch()])

    assert rows(sqlite, "SELECT day, lower_bound, line_id IS NULL FROM usage") == [
        ("2025-10-09", 1, 0)
    ]


def test_all_questions_can_be_asked_of_a_store_in_other_hands(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as writer, closing(SqliteStore(tmp_path, mode="ro")) as ro:
        writer.commit([Source().line("x").knows(b"f").tells().batch()])

        assert (ro.facts("-repo", "s1"), ro.unlinked()) == ({1: b"f"}, [("-repo", "s1")])
        assert [row.events for row in ro.sessions(SessionQuery())] == [1]
