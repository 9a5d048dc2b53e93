from tests.store.made import START, Source, agent, price
from unspool.store.sqlite.asking.facts import Facts
from unspool.store.sqlite.store import SqliteStore

EVER = 2**62


def facts(store: SqliteStore, since: int = 0, until: int = EVER) -> Facts:
    return store.facts_of(since, until)


def test_a_call_is_told_with_its_answer(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().calls().line().answers(state="error").tells().batch()])
    (call,) = facts(sqlite).calls()

    assert (call.name, call.state, call.duration_ms) == ("Bash", "error", 1_000)
    assert (call.project_id, call.session_id, call.start) == ("-repo", "s1", START + 1_000)


def test_a_call_that_two_files_of_a_session_hold_is_one(sqlite: SqliteStore) -> None:
    agents = Source(2, kind="subagent", agent="a1").line().calls().line().answers().tells()
    sqlite.commit([Source().line().calls().tells().batch(), agents.batch()])

    assert [call.state for call in facts(sqlite).calls()] == ["ok"]


def test_an_agents_call_names_its_agent(sqlite: SqliteStore) -> None:
    sqlite.commit([Source(2, kind="subagent", agent="a1").line().calls().tells().batch()])

    assert [call.agent for call in facts(sqlite).calls()] == ["a1"]


def test_only_what_lies_in_the_time_is_told(sqlite: SqliteStore) -> None:
    source = Source()
    for n in range(4):
        source.line().calls(id=f"toolu_{n}").spends(f"m:{n}")
    sqlite.commit([source.tells().batch()])
    found = facts(sqlite, START + 2_000, START + 4_000)

    assert [call.tool_use_id for call in found.calls()] == ["toolu_1", "toolu_2"]
    assert len(found.responses()) == 2


def test_a_response_is_told_once_with_what_it_used(sqlite: SqliteStore) -> None:
    source = Source().line().spends("m:1", 5).line().spends("m:1", 9).tells()
    sqlite.commit([source.batch()], price)
    (one,) = facts(sqlite).responses()

    assert (one.model, one.output_tokens, one.prompt) == ("claude-opus-4-6", 9, 123)
    assert one.pico == 1_000


def test_compactions_and_kinds_of_agents_are_told(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().line(subtype="compact_boundary").tells().batch()])
    sqlite.put_agents("-repo", "s1", [agent("a1")])
    found = facts(sqlite)

    assert list(found.compactions().values()) == [[START + 2_000]]
    assert [type for type in found.agent_types().values()] == ["Explore"]


def test_how_long_a_call_waited_is_told_where_hooks_are(sqlite: SqliteStore) -> None:
    source = Source().line().calls().hooks("pre_tool_use", "h1", print=7)
    asked = {"tool_use_id": "", "print": 7, "decision": ""}
    source.line().hooks("permission_request", "h2", **asked).line().line()
    source.hooks("post_tool_use", "h3", print=7, duration_ms=0.0).answers().tells()
    sqlite.commit([source.batch()])

    assert facts(sqlite).waits() == {"toolu_1": 2_000}
    assert facts(sqlite, START + 9_000_000).waits() == {}
