"""What happened when: strips of sessions, and the calls and responses of some time."""

import pytest

from tests.store.made import START, Source, agent, price
from tests.store.stores import AnyStore
from unspool.derive.daily_causes import causes_of
from unspool.engine import dates
from unspool.engine.causes import causes_of_days, narrowed
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.prices import PriceRow, PriceTable, Rates
from unspool.model.query import CauseQuery
from unspool.store import ActivityFacts

KEY = ("-repo", "s1")
EVER = 2**62


def second(n: int) -> int:
    return START + n * 1_000


def facts(store: AnyStore, since: int = 0, until: int = EVER) -> ActivityFacts:
    return store.facts_of(since, until)


def test_a_turn_lasts_from_its_first_line_to_its_last(store: AnyStore) -> None:
    source = Source().line(turn=1).line(turn=1).line(turn=2).line(turn=0).tells()
    store.commit([source.batch()])

    assert store.strips([KEY])[KEY].turns == (
        TimeSpan(second(1), second(2)),
        TimeSpan(second(3), second(3)),
    )


def test_a_call_has_its_answer_and_says_whether_it_failed(store: AnyStore) -> None:
    source = Source().line(turn=1).calls().line(turn=1).answers(state="error")
    store.commit([source.line(turn=1).calls(id="toolu_2").tells().batch()])

    assert store.strips([KEY])[KEY].calls == (
        CallSpan(second(1), second(2), True),
        CallSpan(second(3), second(3)),
    )


def test_agents_and_compactions_are_told(store: AnyStore) -> None:
    store.commit([Source().line(turn=1, subtype="compact_boundary").tells().batch()])
    store.put_agents(*KEY, [agent("a1", end_time=second(9)), agent("a2", start_time=None)])
    found = store.strips([KEY])[KEY]

    assert (found.agents, found.cuts) == ((TimeSpan(START, second(9)),), (second(1),))


def test_lines_of_an_agents_own_file_are_no_turns(store: AnyStore) -> None:
    store.commit([Source(2, kind="subagent", agent="a1").line(turn=1).calls().tells().batch()])

    assert store.strips([KEY])[KEY] == ActivityStrip()


def test_an_older_generation_counts_no_more(store: AnyStore) -> None:
    source = Source().line(turn=1).line(turn=2).tells()
    store.commit([source.batch()])
    store.commit([source.restart().line(turn=1).tells().batch()])

    assert len(store.strips([KEY])[KEY].turns) == 1


def test_a_wait_that_hooks_tell_of_begins_with_its_call(store: AnyStore) -> None:
    source = Source().line(turn=1).calls().hooks("pre_tool_use", "h1", print=7)
    asked = {"tool_use_id": "", "print": 7, "decision": ""}
    source.line(turn=1).hooks("permission_request", "h2", **asked).line(turn=1).line(turn=1)
    source.hooks("post_tool_use", "h3", print=7, duration_ms=0.0).answers().tells()
    store.commit([source.batch()])

    assert store.strips([KEY])[KEY].waits == (TimeSpan(second(1), second(3)),)


def test_a_session_nobody_knows_has_no_strip(store: AnyStore) -> None:
    assert store.strips([("-repo", "nobody")]) == {}


def test_a_call_is_told_with_its_answer(store: AnyStore) -> None:
    store.commit([Source().line().calls().line().answers(state="error").tells().batch()])
    (call,) = facts(store).calls()

    assert (call.name, call.state, call.duration_ms) == ("Bash", "error", 1_000)
    assert (call.project_id, call.session_id, call.start) == ("-repo", "s1", START + 1_000)


def test_of_calls_and_responses_of_one_moment_the_names_decide(store: AnyStore) -> None:
    source = Source().line()
    for n in (2, 3, 1):
        source.calls(id=f"toolu_{n}").spends(f"m:{n}", n)
    store.commit([source.tells().batch()])
    found = facts(store)

    assert [call.tool_use_id[-1] for call in found.calls()] == ["1", "2", "3"]
    assert [one.output_tokens for one in found.responses()] == [1, 2, 3]


def test_a_call_that_two_files_of_a_session_hold_is_one(store: AnyStore) -> None:
    agents = Source(2, kind="subagent", agent="a1").line().calls().line().answers().tells()
    store.commit([Source().line().calls().tells().batch(), agents.batch()])

    assert [call.state for call in facts(store).calls()] == ["ok"]


def test_an_agents_call_names_its_agent(store: AnyStore) -> None:
    store.commit([Source(2, kind="subagent", agent="a1").line().calls().tells().batch()])

    assert [call.agent for call in facts(store).calls()] == ["a1"]


def test_only_what_lies_in_the_time_is_told(store: AnyStore) -> None:
    source = Source()
    for n in range(4):
        source.line().calls(id=f"toolu_{n}").spends(f"m:{n}")
    store.commit([source.tells().batch()])
    found = facts(store, START + 2_000, START + 4_000)

    assert [call.tool_use_id for call in found.calls()] == ["toolu_1", "toolu_2"]
    assert len(found.responses()) == 2


def test_a_response_is_told_once_with_what_it_used(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5).line().spends("m:1", 9).tells()
    store.commit([source.batch()], price)
    (one,) = facts(store).responses()

    assert (one.model, one.output_tokens, one.prompt) == ("claude-opus-4-6", 9, 123)
    assert one.pico == 1_000


def test_a_response_has_the_attribution_of_its_line_and_says_whether_it_ended(
    store: AnyStore,
) -> None:
    cause = {"skill": "pdf", "mcp_server": "github", "agent": "Explore"}
    source = Source().line().spends("m:1").attributes(**cause)
    source.line().spends("m:2", is_finished=False)
    store.commit([source.tells().batch()])
    found = facts(store).responses()

    told = [one[16:20] for one in found]
    assert told == [(True, "pdf", "github", "Explore"), (False, "", "", "")]


def test_a_response_leads_to_the_line_that_has_it(store: AnyStore) -> None:
    store.commit([Source().line().line().spends("m:1").tells().batch()])
    (one,) = facts(store).responses()
    events = facts(store).event_ids([one.line, 2**40])
    source, generation, offset = map(int, events[one.line].split("."))

    assert list(events) == [one.line]
    assert store.line_at(source, generation, offset) is not None
    assert offset > 0


def test_a_response_without_a_time_is_told_where_no_beginning_is_asked_for(
    store: AnyStore,
) -> None:
    store.commit([Source().line().spends("m:1", at=None).tells().batch()])

    assert [one.at for one in facts(store).responses()] == [0]
    assert facts(store, 1).responses() == []


def test_prompts_of_main_conversations_are_told_with_their_commands(store: AnyStore) -> None:
    source = Source().line().attributes(command="/review").line().attributes(skill="pdf")
    source.line().attributes(command="")
    agents = Source(2, kind="subagent", agent="a1").line().attributes(command="/agent")
    store.commit([source.tells().batch(), agents.tells().batch()])

    assert [one[1:] for one in facts(store).prompts()] == [(second(1), "/review"), (second(3), "")]
    assert [one.command for one in facts(store, second(2), second(4)).prompts()] == [""]


def test_prompts_of_an_older_generation_are_not_told(store: AnyStore) -> None:
    source = Source().line().attributes(command="/review").tells()
    store.commit([source.batch()])
    store.commit([source.restart().line().tells().batch()])

    assert facts(store).prompts() == []


def test_compactions_and_kinds_of_agents_are_told(store: AnyStore) -> None:
    store.commit([Source().line().line(subtype="compact_boundary").tells().batch()])
    store.put_agents("-repo", "s1", [agent("a1")])
    found = facts(store)

    assert list(found.compactions().values()) == [[START + 2_000]]
    assert [type for type in found.agent_types().values()] == ["Explore"]


def test_how_long_a_call_waited_is_told_where_hooks_are(store: AnyStore) -> None:
    source = Source().line().calls().hooks("pre_tool_use", "h1", print=7)
    asked = {"tool_use_id": "", "print": 7, "decision": ""}
    source.line().hooks("permission_request", "h2", **asked).line().line()
    source.hooks("post_tool_use", "h3", print=7, duration_ms=0.0).answers().tells()
    store.commit([source.batch()])

    assert facts(store).waits() == {"toolu_1": 2_000}
    assert facts(store, START + 9_000_000).waits() == {}


def test_facts_are_of_one_project_or_of_some_roots(store: AnyStore) -> None:
    two = Source(2, "s2", project="-b").line().calls(id="toolu_2").spends("m:2").tells()
    store.commit([Source().line().calls().spends().tells().batch(), two.batch()])

    one = store.facts_of(0, EVER, projects=["-b"])
    assert [call.tool_use_id for call in one.calls()] == ["toolu_2"]
    assert [(found.session_id, found.at) for found in one.responses()] == [("s2", second(1))]
    assert store.facts_of(0, EVER, projects=["-"]).calls() == []
    assert len(store.facts_of(0, EVER, scope=(("/claude", ""),)).calls()) == 2
    assert store.facts_of(0, EVER, scope=(("/other", ""),)).responses() == []


def test_facts_of_some_sessions_are_all_of_theirs_and_no_others(store: AnyStore) -> None:
    for number, name in enumerate(("s1", "s2", "s3"), 1):
        source = Source(number, name).line().calls(id=f"toolu_{name}").spends(f"m:{number}")
        source.attributes(command=f"/{name}").line(subtype="compact_boundary").tells()
        store.commit([source.batch()])
        store.put_agents("-repo", name, [agent(f"a-{name}", type=name)])
    numbers = {one.session_id: one.session for one in facts(store).responses()}

    found = store.facts_of(0, EVER, sessions=[numbers["s1"], numbers["s3"]])
    assert [one.session_id for one in found.calls()] == ["s1", "s3"]
    assert [one.session_id for one in found.responses()] == ["s1", "s3"]
    assert found.compactions().keys() == {numbers["s1"], numbers["s3"]}
    assert [one.command for one in found.prompts()] == ["/s1", "/s3"]
    assert sorted(found.agent_types().values()) == ["s1", "s3"]
    assert store.facts_of(0, EVER, sessions=[]).responses() == []


def test_sessions_that_go_beyond_some_time_are_told(store: AnyStore) -> None:
    hour = 3_600_000
    for number, hours in enumerate(((1, 5), (5, 5), (5, 9), (9, 9)), 1):
        source = Source(number, f"s{number}")
        for at in hours:
            source.at = START + at * hour
            source.line().spends(f"m:{number}:{at}")
        times = {"start_time": START + hours[0] * hour, "last_activity": source.at}
        store.commit([source.tells(**times).batch()])
    names = {one.session: one.session_id for one in facts(store).responses()}

    found = facts(store, START + 4 * hour, START + 6 * hour).across()
    assert [names[one] for one in found] == ["s1", "s3"]
    assert facts(store).across() == []


def test_a_day_has_the_same_causes_whatever_days_are_asked_for(store: AnyStore) -> None:
    day, table = 86_400_000, PriceTable({"claude-opus-4-6": (PriceRow(Rates(5, 25, 6, 10, 1)),)})
    source, other = Source(), Source(2, "s2", at=START + day)
    for step in range(8):
        source.at += day // 3
        source.line(subtype="compact_boundary" if step == 3 else "")
        source.spends(f"m:{step}", cache_creation_tokens=90_000)
        source.calls(id=f"toolu_{step}").answers(f"toolu_{step}", "error")
        if step in (0, 4):
            source.attributes(command=f"/go{step}")
    store.commit([source.tells(start_time=START, last_activity=source.at).batch()], price)
    alone = other.line().spends("m:other", cache_creation_tokens=90_000)
    store.commit([alone.tells(start_time=other.at, last_activity=other.at).batch()], price)
    whole = causes_of_days(store, None, None, None, table)
    first, last = dates.day_numbers(None)(START), dates.day_numbers(None)(source.at)

    for one in range(first, last + 1):
        query = CauseQuery(first=one, last=one, breaks=9)
        some = causes_of(narrowed(causes_of_days(store, (one, one), None, None, table), query))
        assert some == causes_of(narrowed(whole, query))
        assert some.breaks or one == first
        assert some.looped > 0


def test_a_session_goes_by_one_number_in_all_facts(store: AnyStore) -> None:
    source = Source().line().calls().spends().line(subtype="compact_boundary").tells()
    store.commit([Source(2, "s0").line().tells().batch(), source.batch()])
    store.put_agents(*KEY, [agent("a1")])
    found = facts(store)
    ((compacted, _),), (typed,) = found.compactions().items(), found.agent_types()

    numbers = {found.calls()[0].session, found.responses()[0].session, compacted, typed[0]}
    assert len(numbers) == 1


@pytest.mark.parametrize(
    ("requests", "waited"),
    [
        ([(7, "k1")], {"toolu_1": 3_000}),
        ([(8, "k1")], {"toolu_1": 3_000}),  # of another input, but the only one
        ([(8, "k1"), (9, "k2")], {}),  # nobody can tell which
        ([], {}),
    ],
)
def test_a_wait_begins_with_the_request_for_the_same_input(
    store: AnyStore, requests: list[tuple[int, str]], waited: dict[str, int]
) -> None:
    source = Source().line().calls().hooks("pre_tool_use", "h1", print=7).line()
    for number, (print_, key) in enumerate(requests):
        given = {"tool_use_id": "", "print": print_, "decision": "", "key": key}
        source.hooks("permission_request", f"r{number}", **given)
    source.line().line().line().hooks("permission_denied", "h3", print=7, duration_ms=None)
    store.commit([source.answers(state="rejected").tells().batch()])

    assert facts(store).waits() == waited
