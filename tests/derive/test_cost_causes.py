"""Which skill, MCP server, agent, command or tool a response was for."""

from typing import Any

from unspool.derive.cost_causes import NONE, cause_totals
from unspool.derive.insights import InsightFacts
from unspool.model.insights import CallFact, PromptFact, ResponseFact

PICO = 10**12


def response(at: int, pico: int | None = PICO, **fields: Any) -> ResponseFact:
    """A response of session 1."""
    counts: dict[str, Any] = dict.fromkeys(ResponseFact._fields[4:11], 0)
    about = {"session": 1, "agent": "", "model": "m", "at": at, "speed": "", "geo": ""}
    where = {"project_id": "p", "session_id": "s"}
    return ResponseFact(**{**counts, **about, **where, "pico": pico, **fields})


def call(name: str, start: int, agent: str = "") -> CallFact:
    return CallFact(1, agent, name, start, 1, "ok", "p", "s", f"{name}{start}")


def spent(by: str, *responses: ResponseFact, **facts: Any) -> dict[str, int]:
    """Picodollars by cause."""
    found = facts_of(*responses, **facts)
    sums: dict[str, int] = {}
    for total in cause_totals(found, by, lambda _: True):
        sums[str(total[1])] = sums.get(str(total[1]), 0) + int(total[10])
    return sums


def facts_of(*responses: ResponseFact, **facts: Any) -> InsightFacts:
    given: dict[str, Any] = {"calls": [], "compactions": {}, "agent_types": {}, **facts}
    return InsightFacts(responses=list(responses), **given)


def test_a_skill_is_the_one_that_claude_code_names() -> None:
    found = spent("skill", response(1, skill="pdf"), response(2, skill="pdf"), response(3))

    assert found == {"pdf": 2 * PICO, NONE: PICO}


def test_an_mcp_server_is_the_one_that_claude_code_names_or_else_that_of_the_call() -> None:
    calls = [call("mcp__github__list", 2), call("mcp__other__ask", 3), call("Bash", 4)]
    named = response(3, mcp_server="jira")

    found = spent("mcp", response(1), named, response(4), calls=calls)

    assert found == {"github": PICO, "jira": PICO, NONE: PICO}


def test_an_agent_is_its_type_as_its_call_or_else_claude_code_names_it() -> None:
    types = {(1, "a1"): "Explore"}
    responses = (
        response(1),
        response(2, agent="a1", agent_type="general-purpose"),
        response(3, agent="a2", agent_type="reviewer"),
        response(4, agent="a3"),
        response(5, agent="acompact-1"),
    )

    assert spent("agent", *responses, agent_types=types) == dict.fromkeys(
        ("main", "Explore", "reviewer", "unknown", "compaction"), PICO
    )


def test_a_command_has_all_of_its_turn_with_its_agents_until_the_next_prompt() -> None:
    prompts = [PromptFact(1, 10, "/review"), PromptFact(1, 20, ""), PromptFact(2, 12, "/other")]
    before, own, agent = response(9), response(10), response(19, agent="a1")

    found = spent("command", before, own, response(20), agent, prompts=prompts)

    assert found == {NONE: 2 * PICO, "/review": 2 * PICO}


def test_tools_that_one_response_calls_share_it_and_nothing_is_lost() -> None:
    calls = [call("Read", 1), call("Grep", 1), call("Read", 1)]
    whole = response(1, 10, input_tokens=7, output_tokens=5)

    totals = cause_totals(facts_of(whole, calls=calls), "tool", lambda _: True)

    assert [total[1] for total in totals] == ["Grep", "Read", "Read"]
    assert [sum(int(total[n]) for total in totals) for n in (5, 6, 10, 13)] == [7, 5, 10, 1]


def test_a_response_that_is_not_wanted_keeps_its_calls_from_the_others() -> None:
    calls = [call("Read", 1), call("Grep", 5)]
    found = facts_of(response(1), response(5, model="x"), calls=calls)

    totals = cause_totals(found, "tool", lambda one: one.model == "m")

    assert [total[1] for total in totals] == ["Read"]


def test_a_response_without_a_price_or_an_end_is_counted_as_such() -> None:
    (total,) = cause_totals(facts_of(response(1, None, is_finished=False)), "skill", lambda _: True)

    assert total[10:14] == (0, 1, 1, 1)
