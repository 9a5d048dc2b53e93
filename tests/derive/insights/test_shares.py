from hypothesis import given
from hypothesis import strategies as st

from tests.derive.insights.facts import PICO, call, response
from unspool.derive.insights.shares import ANSWERS, by_asker, by_tool, made_by


def test_a_call_belongs_to_the_last_response_before_it() -> None:
    calls = [call("Bash", 1_500), call("Read", 2_500)]
    made = list(made_by(calls, [response(1_000), response(2_000), response(3_000)]))

    assert [[one.name for one in found] for _, found in made] == [["Bash"], ["Read"], []]


def test_a_call_at_the_very_moment_of_a_response_is_its_own() -> None:
    ((_, found),) = made_by([call("Bash", 1_000)], [response(1_000)])

    assert [one.name for one in found] == ["Bash"]


def test_an_agents_calls_are_not_its_parents() -> None:
    calls = [call("Bash", 1_500), call("Read", 1_600, agent="a1")]
    made = list(made_by(calls, [response(1_000), response(1_100, agent="a1")]))

    assert [[one.name for one in found] for _, found in made] == [["Bash"], ["Read"]]


def test_a_call_before_every_response_belongs_to_none() -> None:
    ((_, found),) = made_by([call("Bash", 500)], [response(1_000)])

    assert found == []


def test_a_response_shares_its_cost_among_its_calls() -> None:
    calls = [call("Bash", 1_100), call("Read", 1_200), call("Bash", 1_300, tool_use_id="x")]
    found = by_tool(made_by(calls, [response(1_000, 3.0), response(2_000, 0.5)]))

    assert [(one.name, one.pico / PICO, one.responses) for one in found] == [
        ("Bash", 2.0, 1),
        ("Read", 1.0, 1),
        (ANSWERS, 0.5, 1),
    ]


def test_the_tools_of_a_server_are_one_cause_and_so_are_skills() -> None:
    names = ("mcp__atlas__find", "mcp__atlas__put", "Skill", "")
    calls = [call(name, 1_100 + n) for n, name in enumerate(names)]
    found = by_tool(made_by(calls, [response(1_000, 4.0)]))

    assert {one.name: one.pico // PICO for one in found} == {"MCP atlas": 2, "Skills": 1, "?": 1}


def test_agents_are_told_apart_by_their_type() -> None:
    responses = [
        response(usd=3.0),
        response(usd=2.0, agent="a1"),
        response(usd=1.0, agent="a2"),
        response(usd=0.5, agent="acompact-1"),
    ]
    found = by_asker(responses, {(1, "a1"): "Explore"})

    assert [(one.name, one.pico / PICO) for one in found] == [
        ("You and Claude", 3.0),
        ("Agents: Explore", 2.0),
        ("Agents", 1.0),
        ("Compaction", 0.5),
    ]


moments = st.lists(st.integers(0, 50), max_size=12)


@given(moments, moments, st.integers(0, 10**6))
def test_no_dollar_is_lost_or_doubled(starts: list[int], times: list[int], pico: int) -> None:
    calls = [call("ab"[n % 2], at, tool_use_id=str(n)) for n, at in enumerate(sorted(starts))]
    responses = [response(at, pico=pico) for at in sorted(times)]

    assert sum(one.pico for one in by_tool(made_by(calls, responses))) == pico * len(times)
    assert sum(one.pico for one in by_asker(responses, {})) == pico * len(times)
