"""Where the dollars of each day went: every side comes to the whole, on whichever days."""

from collections.abc import Collection, Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.test_insights import PICO, call, response
from unspool.derive.daily_causes import causes_of, daily_causes
from unspool.derive.insights import InsightFacts
from unspool.model.insights import ANSWERS, CallFact, CauseReport, Causes, ResponseFact
from unspool.model.prices import PriceRow, PriceTable, Rates

DAY = 86_400_000
RATES = Rates(5_000_000, 25_000_000, 6_250_000, 10_000_000, 500_000)
TABLE = PriceTable({"claude-opus-4-6": (PriceRow(RATES),)})


def reported(calls: Sequence[CallFact], *responses: ResponseFact) -> CauseReport:
    facts = InsightFacts(list(calls), list(responses), {}, {(1, "a1"): "Explore"})
    return daily_causes(facts, TABLE, lambda at: at // DAY)


def some(report: CauseReport, days: Collection[int], model: str = "") -> Causes:
    """What a store says of some days and a model."""
    sums = [one for one in report.sums if one.day in days and model in one.model]
    breaks = [one for one in report.breaks if one.at // DAY in days and model in one.model]
    return causes_of(CauseReport(sums, breaks))


def days(calls: Sequence[CallFact], *responses: ResponseFact, model: str = "") -> dict[int, Causes]:
    report = reported(calls, *responses)
    return {day: some(report, [day], model) for day in sorted({one.day for one in report.sums})}


def whole(calls: Sequence[CallFact], *responses: ResponseFact) -> Causes:
    return causes_of(reported(calls, *responses))


def test_every_side_of_a_day_comes_to_the_day() -> None:
    found = days([call("Bash", 1_500)], response(1_000, 2.0), response(DAY, 1.0, agent="a1"))

    assert {day: one.pico for day, one in found.items()} == {0: 2 * PICO, 1: PICO}
    for one in found.values():
        assert sum(cause.pico for cause in one.tools) == one.pico
        assert sum(cause.pico for cause in one.askers) == one.pico


def test_a_response_shares_its_cost_among_its_calls() -> None:
    calls = [call("Bash", 1_100), call("Read", 1_200), call("Bash", 1_300, tool_use_id="x")]
    found = whole(calls, response(1_000, 3.0), response(2_000, 0.5))

    assert [(one.name, one.pico / PICO) for one in found.tools] == [
        ("Bash", 2.0),
        ("Read", 1.0),
        (ANSWERS, 0.5),
    ]


def test_the_tools_of_a_server_are_one_cause_and_so_are_skills() -> None:
    names = ("mcp__atlas__find", "mcp__atlas__put", "Skill", "")
    calls = [call(name, 1_100 + n) for n, name in enumerate(names)]
    found = whole(calls, response(1_000, 4.0))

    parts = {one.name: one.pico // PICO for one in found.tools}
    assert parts == {"MCP atlas": 2, "Skills": 1, "?": 1}


def test_agents_are_told_apart_by_their_type() -> None:
    found = whole(
        [],
        response(usd=3.0),
        response(usd=2.0, agent="a1"),
        response(usd=1.0, agent="a2"),
        response(usd=0.5, agent="acompact-1"),
    )

    assert [(one.name, one.pico / PICO) for one in found.askers] == [
        ("Main conversation", 3.0),
        ("Explore", 2.0),
        ("Agents of unknown type", 1.0),
        ("Compaction", 0.5),
    ]


def test_the_most_expensive_cause_comes_first_and_none_is_no_cause() -> None:
    found = whole([], response(1), response(2, skill="a"), response(3, 2.0, skill="b"))

    assert [(one.name, one.pico, one.responses) for one in found.skills] == [
        ("b", 2 * PICO, 1),
        ("a", PICO, 1),
    ]


def test_names_that_are_alike_for_300_letters_are_one() -> None:
    found = whole([], response(1, skill="x" * 400), response(2, skill="x" * 300 + "y"))

    assert [(len(one.name), one.responses) for one in found.skills] == [(300, 2)]


def test_sums_have_their_first_and_last_time_and_what_is_not_known() -> None:
    undated, first, last = response(0), response(5, pico=None), response(9, is_finished=False)
    (one,) = [sum for sum in reported([], undated, first, last).sums if sum.side == "agent"]

    assert (one.first_at, one.last_at) == (5, 9)
    assert (one.responses, one.unpriced, one.lower_bound) == (3, 1, 1)


moments = st.lists(st.integers(0, 50), max_size=12)


@given(moments, moments, st.integers(0, 10**6))
def test_no_dollar_is_lost_or_doubled(starts: list[int], times: list[int], pico: int) -> None:
    calls = [call("ab"[n % 2], at, tool_use_id=str(n)) for n, at in enumerate(sorted(starts))]
    found = whole(calls, *(response(at, pico=pico) for at in sorted(times)))

    assert found.pico == pico * len(times)
    assert sum(one.pico for one in found.tools) == sum(one.pico for one in found.askers)
    assert found.pico == sum(one.pico for one in found.tools)


def test_a_break_belongs_to_its_day_though_the_cache_was_filled_the_day_before() -> None:
    filled = response(DAY - 1_000, cache_write=90_000)
    broken = response(DAY + 1_000, cache_write=90_000, line=7)
    found = days([], filled, broken)

    assert found[0].breaks == ()
    assert [one.line for one in found[1].worst_breaks] == [7]
    assert found[1].avoidable == found[1].breaks[0].pico > 0


def test_breaks_are_counted_by_reason() -> None:
    filled = response(0, cache_write=90_000)
    again = (response(n * 1_000, cache_write=90_000) for n in (1, 2))
    late = response(10**7, cache_write=90_000)
    found = whole([], filled, *again, late)

    assert {one.name: one.responses for one in found.breaks} == {
        "the beginning of the prompt changed": 2,
        "a pause longer than the cache lifetime": 1,
    }
    assert sum(one.pico for one in found.breaks) == sum(one.pico for one in found.worst_breaks)


def test_a_loop_is_avoidable() -> None:
    calls = [call("Bash", start, "error") for start in (1_100, 2_100, 3_100)]
    found = days([*calls, call("Read", 4_100)], *(response(n * 1_000, 1.0) for n in (1, 2, 3, 4)))

    assert found[0].avoidable == found[0].looped == 3 * PICO


def test_what_is_a_break_and_a_loop_is_avoidable_once() -> None:
    calls = [call("Bash", start, "error") for start in (1_100, 2_100, 3_100)]
    first = response(1_000, 1.0, cache_write=90_000)
    rest = response(2_000, 1.0, cache_write=90_000), response(3_000, 1.0, cache_read=90_000)
    found = days(calls, first, *rest)

    assert found[0].breaks
    assert found[0].avoidable == 3 * PICO


def test_another_model_has_no_part_in_the_causes_of_one() -> None:
    other = response(2_000, 5.0, model="claude-haiku-4-5", cache_write=90_000)
    found = days([], response(1_000, 1.0, cache_write=90_000), other, model="opus")

    assert found[0].pico == PICO
    assert found[0].breaks == ()


def test_a_loop_of_another_model_is_none_of_this_one() -> None:
    calls = [call("Bash", start, "error") for start in (2_100, 2_200, 2_300)]
    other = response(2_000, 1.0, model="claude-haiku-4-5")

    assert days(calls, response(1_000), other, model="opus")[0].looped == 0
    assert days(calls, response(1_000), other, model="haiku")[0].looped == PICO


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 50)), max_size=20))
def test_some_days_come_to_the_sum_of_their_days(spent: list[tuple[int, int]]) -> None:
    ordered = sorted((day * DAY + n, cents) for n, (day, cents) in enumerate(spent))
    report = reported([], *(response(at, cents / 100) for at, cents in ordered))

    parts = some(report, range(5)), some(report, range(5, 10))
    assert sum(one.pico for one in parts) == causes_of(report).pico
    assert sum(c.pico for one in parts for c in one.askers) == sum(one.pico for one in parts)
