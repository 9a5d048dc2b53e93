"""Where the dollars of each day went: every side comes to the whole, on whichever days."""

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.test_insights import PICO, call, response
from unspool.derive.daily_causes import causes_between, causes_by_day, merge_causes
from unspool.derive.insights import InsightFacts
from unspool.model.insights import CallFact, Causes, ResponseFact
from unspool.model.prices import PriceRow, PriceTable, Rates

DAY = 86_400_000
RATES = Rates(5_000_000, 25_000_000, 6_250_000, 10_000_000, 500_000)
TABLE = PriceTable({"claude-opus-4-6": (PriceRow(RATES),)})


def days(calls: list[CallFact], *responses: ResponseFact, model: str = "") -> dict[int, Causes]:
    facts = InsightFacts(calls, list(responses), {}, {(1, "a1"): "Plan"})
    return causes_by_day(facts, TABLE, lambda at: at // DAY, lambda one: model in one.model)


def test_every_side_of_a_day_comes_to_the_day() -> None:
    found = days([call("Bash", 1_500)], response(1_000, 2.0), response(DAY, 1.0, agent="a1"))

    assert {day: one.pico for day, one in found.items()} == {0: 2 * PICO, 1: PICO}
    for one in found.values():
        assert sum(cause.pico for cause in one.tools) == one.pico
        assert sum(cause.pico for cause in one.askers) == one.pico


def test_a_break_belongs_to_its_day_though_the_cache_was_filled_the_day_before() -> None:
    filled = response(DAY - 1_000, cache_write=90_000)
    broken = response(DAY + 1_000, cache_write=90_000, line=7)
    found = days([], filled, broken)

    assert found[0].breaks == ()
    assert [one.line for one in found[1].breaks] == [7]
    assert found[1].avoidable == found[1].breaks[0].pico > 0


def test_a_loop_is_avoidable_and_leads_to_its_first_call() -> None:
    calls = [call("Bash", start, "error") for start in (1_100, 2_100, 3_100)]
    found = days([*calls, call("Read", 4_100)], *(response(n * 1_000, 1.0) for n in (1, 2, 3, 4)))

    assert found[0].avoidable == 3 * PICO
    assert [one.tool_use_id for one in found[0].loops] == ["Bash-1100"]


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

    assert days(calls, response(1_000), other, model="opus")[0].loops == ()
    assert days(calls, response(1_000), other, model="haiku")[0].loops


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 50)), max_size=20))
def test_some_days_come_to_the_sum_of_their_days(spent: list[tuple[int, int]]) -> None:
    ordered = sorted((day * DAY + n, cents) for n, (day, cents) in enumerate(spent))
    found = days([], *(response(at, cents / 100) for at, cents in ordered))

    parts = causes_between(found, 0, 4), causes_between(found, 5, 9)
    assert sum(one.pico for one in parts) == merge_causes(found.values()).pico
    assert sum(c.pico for one in parts for c in one.askers) == sum(one.pico for one in parts)
