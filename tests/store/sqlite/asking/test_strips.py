from tests.store.made import START, Source, agent
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.store.sqlite.store import SqliteStore

KEY = ("-repo", "s1")


def second(n: int) -> int:
    return START + n * 1_000


def test_a_turn_lasts_from_its_first_line_to_its_last(sqlite: SqliteStore) -> None:
    source = Source().line(turn=1).line(turn=1).line(turn=2).line(turn=0).tells()
    sqlite.commit([source.batch()])

    assert sqlite.strips([KEY])[KEY].turns == (
        TimeSpan(second(1), second(2)),
        TimeSpan(second(3), second(3)),
    )


def test_a_call_has_its_answer_and_says_whether_it_failed(sqlite: SqliteStore) -> None:
    source = Source().line(turn=1).calls().line(turn=1).answers(state="error")
    sqlite.commit([source.line(turn=1).calls(id="toolu_2").tells().batch()])

    assert sqlite.strips([KEY])[KEY].calls == (
        CallSpan(second(1), second(2), True),
        CallSpan(second(3), second(3)),
    )


def test_agents_and_compactions_are_told(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line(turn=1, subtype="compact_boundary").tells().batch()])
    sqlite.put_agents(*KEY, [agent("a1", end_time=second(9)), agent("a2", start_time=None)])
    found = sqlite.strips([KEY])[KEY]

    assert (found.agents, found.cuts) == ((TimeSpan(START, second(9)),), (second(1),))


def test_lines_of_an_agents_own_file_are_no_turns(sqlite: SqliteStore) -> None:
    sqlite.commit([Source(2, kind="subagent", agent="a1").line(turn=1).calls().tells().batch()])

    assert sqlite.strips([KEY])[KEY] == ActivityStrip()


def test_an_older_generation_counts_no_more(sqlite: SqliteStore) -> None:
    source = Source().line(turn=1).line(turn=2).tells()
    sqlite.commit([source.batch()])
    sqlite.commit([source.restart().line(turn=1).tells().batch()])

    assert len(sqlite.strips([KEY])[KEY].turns) == 1


def test_a_wait_that_hooks_tell_of_begins_with_its_call(sqlite: SqliteStore) -> None:
    source = Source().line(turn=1).calls().hooks("pre_tool_use", "h1", print=7)
    asked = {"tool_use_id": "", "print": 7, "decision": ""}
    source.line(turn=1).hooks("permission_request", "h2", **asked).line(turn=1).line(turn=1)
    source.hooks("post_tool_use", "h3", print=7, duration_ms=0.0).answers().tells()
    sqlite.commit([source.batch()])

    assert sqlite.strips([KEY])[KEY].waits == (TimeSpan(second(1), second(3)),)


def test_a_session_nobody_knows_has_no_strip(sqlite: SqliteStore) -> None:
    assert sqlite.strips([("-repo", "nobody")]) == {}
