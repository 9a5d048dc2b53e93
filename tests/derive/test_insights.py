from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.insights import (
    TokenCosts,
    cache_breaks,
    calls_by_response,
    costs_by_call,
    loops,
    quantile,
    tool_counts,
)
from unspool.derive.usage.prices import price_response
from unspool.model.insights import CacheBreak, CallFact, ResponseFact
from unspool.model.prices import PriceRow, PriceTable, Rates, Tier
from unspool.model.usage import Tokens

PICO = 10**12


def call(name: str = "Bash", start: int = 0, state: str = "ok", **more: Any) -> CallFact:
    known: dict[str, Any] = {
        "session": 1,
        "agent": "",
        "duration_ms": 1_000,
        "project_id": "p",
        "session_id": "s",
        "tool_use_id": f"{name}-{start}",
        **more,
    }
    return CallFact(name=name, start=start, state=state, **known)


def response(at: int = 0, usd: float = 1.0, **more: Any) -> ResponseFact:
    known: dict[str, Any] = {
        "session": 1,
        "agent": "",
        "model": "claude-opus-4-6",
        "input_tokens": 10,
        "output_tokens": 100,
        "cache_read": 0,
        "write_5m": 0,
        "write_1h": 0,
        "cache_write": 0,
        "web_searches": 0,
        "speed": "",
        "geo": "",
        "pico": int(usd * PICO),
        "project_id": "p",
        "session_id": "s",
        **more,
    }
    return ResponseFact(at=at, **known)


def test_calls_are_counted_by_tool_the_most_used_first() -> None:
    found = tool_counts([call("Read"), call("Bash", 1), call("Bash", 2, "error")], {})

    assert [(one.name, one.calls, one.errors) for one in found] == [("Bash", 2, 1), ("Read", 1, 0)]


def test_a_refused_call_is_no_failure() -> None:
    (one,) = tool_counts([call(state="rejected"), call(start=1)], {})

    assert (one.errors, one.rejected) == (0, 1)


def test_what_a_call_waited_is_not_the_tools_own_time() -> None:
    calls = [call(start=0, duration_ms=10_000), call(start=1, duration_ms=1_000)]
    (one,) = tool_counts(calls, {"Bash-0": 9_500})

    assert (one.median_ms, one.p95_ms) == (500, 1_000)
    assert (one.waited, one.waited_ms) == (1, 9_500)


def test_a_call_without_an_answer_counts_and_has_no_time() -> None:
    (one,) = tool_counts([call(state="", duration_ms=None)], {})

    assert (one.calls, one.median_ms, one.p95_ms) == (1, None, None)


@pytest.mark.parametrize(
    ("values", "part", "expected"),
    [
        ([1], 0.95, 1),
        ([1, 2], 0.5, 1),
        (range(1, 21), 0.95, 19),
        (range(1, 101), 0.95, 95),
        ([], 0.5, None),
    ],
)
def test_a_quantile_is_the_least_that_so_many_do_not_exceed(
    values: list[int], part: float, expected: int | None
) -> None:
    assert quantile(list(values), part) == expected


@given(st.lists(st.integers(0, 10**9), min_size=1).map(sorted))
def test_at_least_that_part_does_not_exceed_a_quantile(values: list[int]) -> None:
    most = quantile(values, 0.95)

    assert most is not None
    assert sum(value <= most for value in values) >= len(values) * 0.95


def failed(start: int, name: str = "Bash", **more: Any) -> CallFact:
    return call(name, start, "error", **more)


def test_three_failures_running_are_a_loop_with_what_they_cost() -> None:
    calls = [failed(n) for n in range(3)]
    (loop,) = loops(calls, {"Bash-0": 5, "Bash-2": 7})

    assert (loop.name, loop.times, loop.pico) == ("Bash", 3, 12)
    assert (loop.start, loop.end) == (0, 1_002)


def test_two_are_none_and_neither_are_three_with_another_in_between() -> None:
    calls = [failed(0), failed(1), call(start=2), failed(3), failed(4, "Read"), failed(5)]

    assert loops(calls, {}) == []


def test_two_agents_that_fail_in_turn_are_no_loop() -> None:
    calls = [failed(n, agent=agent) for agent in ("", "a1") for n in range(2)]

    assert loops(calls, {}) == []


def test_the_longest_comes_first() -> None:
    calls = [failed(n) for n in range(3)] + [failed(n, "Read") for n in range(4)]

    assert [loop.name for loop in loops(calls, {})] == ["Read", "Bash"]


def test_a_call_belongs_to_the_last_response_before_it() -> None:
    calls = [call("Bash", 1_500), call("Read", 2_500)]
    made = list(calls_by_response(calls, [response(1_000), response(2_000), response(3_000)]))

    assert [[one.name for one in found] for _, found in made] == [["Bash"], ["Read"], []]


def test_a_call_at_the_very_moment_of_a_response_is_its_own() -> None:
    ((_, found),) = calls_by_response([call("Bash", 1_000)], [response(1_000)])

    assert [one.name for one in found] == ["Bash"]


def test_an_agents_calls_are_not_its_parents() -> None:
    calls = [call("Bash", 1_500), call("Read", 1_600, agent="a1")]
    made = list(calls_by_response(calls, [response(1_000), response(1_100, agent="a1")]))

    assert [[one.name for one in found] for _, found in made] == [["Bash"], ["Read"]]


def test_a_call_before_every_response_belongs_to_none() -> None:
    ((_, found),) = calls_by_response([call("Bash", 500)], [response(1_000)])

    assert found == []


HIGH = Rates(input=20, output=100, write_5m=25, write_1h=40, read=2)
ROW = PriceRow(
    Rates(input=10, output=50, write_5m=12, write_1h=20, read=1),
    tiers=(Tier(200_000, HIGH),),
    fast=20,
)
TABLE = PriceTable(models={"claude-opus-4-6": (ROW,)}, geo={"us": 11}, web_search=1_000)


def sums(*responses: ResponseFact) -> dict[str, int]:
    costs, found = TokenCosts(TABLE), Counter[str]()
    for one in responses:
        found.update(dict(costs.by_kind(one)))
    return dict(found)


def test_each_kind_of_token_has_its_own_price() -> None:
    one = response(
        input_tokens=1, output_tokens=2, cache_read=30, cache_write=4, write_5m=4, web_searches=1
    )

    assert sums(one) == {
        "read": 30,
        "output": 100,
        "write": 48,
        "input": 10,
        "searches": 1_000,
    }


def test_what_has_no_price_is_in_none() -> None:
    assert sums(response(model="elsewhere/unknown", pico=None)) == {}


def test_a_break_is_priced_by_how_long_the_cache_lives() -> None:
    costs, short, long = TokenCosts(TABLE), response(), response(write_1h=5)

    assert [costs.rewrite_price(short, 10), costs.rewrite_price(long, 10)] == [110, 190]
    assert costs.rewrite_price(response(model="elsewhere/unknown"), 10) == 0


counts = st.integers(0, 150_000)


@given(counts, counts, counts, counts, st.sampled_from(["", "fast"]), st.sampled_from(["", "us"]))
def test_the_kinds_together_are_the_bill(
    new: int, answer: int, read: int, write: int, speed: str, geo: str
) -> None:
    more: dict[str, Any] = {"input_tokens": new, "output_tokens": answer, "cache_read": read}
    more |= {"cache_write": write, "write_1h": write // 3, "speed": speed, "geo": geo}
    tokens = Tokens(
        input=new,
        output=answer,
        cache_read=read,
        cache_write=write,
        write_1h=write // 3,
        speed=speed,
        geo=geo,
    )

    assert abs(sum(sums(response(**more)).values()) - price_response(tokens, ROW, TABLE)) <= 4


MINUTE = 60_000


def price(_: ResponseFact, tokens: int) -> int:
    return tokens * 9


def breaks_in(
    *responses: ResponseFact, compactions: dict[int, list[int]] | None = None
) -> list[CacheBreak]:
    return cache_breaks(responses, compactions or {}, price)


def filled(at: int = 0, **more: Any) -> ResponseFact:
    return response(at, cache_read=40_000, cache_write=10_000, **more)


def emptied(at: int = 1_000, **more: Any) -> ResponseFact:
    return response(at, **{"cache_read": 0, "cache_write": 52_000, **more})


def test_what_was_cached_and_is_written_again_is_a_break() -> None:
    (one,) = breaks_in(filled(), emptied())

    assert (one.tokens, one.pico) == (50_000, 450_000)
    assert one.why == "the beginning of the prompt changed"


@pytest.mark.parametrize(
    ("later", "why"),
    [
        (emptied(6 * MINUTE), "a pause longer than the cache lifetime"),
        (emptied(6 * MINUTE, write_1h=52_000), "the beginning of the prompt changed"),
        (emptied(61 * MINUTE, write_1h=52_000), "a pause longer than the cache lifetime"),
        (emptied(model="claude-haiku-4-5"), "another model"),
    ],
)
def test_a_break_says_why(later: ResponseFact, why: str) -> None:
    assert [one.why for one in breaks_in(filled(), later)] == [why]


def test_a_compaction_in_between_is_the_reason() -> None:
    (one,) = breaks_in(filled(), emptied(cache_write=20_000), compactions={1: [500]})

    assert (one.why, one.tokens) == ("after a compaction", 20_000)


@pytest.mark.parametrize(
    "later",
    [
        response(1_000, cache_read=50_000, cache_write=900),
        response(1_000, cache_read=30_000, cache_write=20_000),
        emptied(agent="a1"),
        emptied(session=2),
        response(1_000, cache_read=0, cache_write=100),
    ],
    ids=["read", "mostly read", "another agent", "another session", "nothing written"],
)
def test_what_is_no_break(later: ResponseFact) -> None:
    assert breaks_in(filled(), later) == []


def test_a_small_cache_is_not_worth_a_name() -> None:
    assert breaks_in(response(0, cache_write=8_000), emptied()) == []


def test_the_dearest_comes_first() -> None:
    later = response(3_000, cache_read=0, cache_write=90_000)
    again = response(2_000, cache_read=50_000, cache_write=50_000)

    assert [one.tokens for one in breaks_in(filled(), emptied(), again, later)] == [90_000, 50_000]


def test_a_call_costs_its_part_of_its_response() -> None:
    calls = [call("Bash", 1_500), call("Read", 1_600)]

    assert costs_by_call(calls_by_response(calls, [response(1_000, 2.0)])) == {
        "Bash-1500": PICO,
        "Read-1600": PICO,
    }
