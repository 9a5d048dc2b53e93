"""Calls and responses of some time -> where the dollars of each day went, and of some days.

What is true of a day does not depend on which days are asked for: a cache break, or a failure
that repeats, is found over all of the time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from unspool.derive.cost_causes import cause_totals, ranked_causes
from unspool.derive.insights import (
    MIN_LOOP,
    InsightFacts,
    ResponseCalls,
    TokenCosts,
    by_asker,
    by_tool,
    cache_breaks,
    calls_by_response,
    costs_by_call,
    loops,
    sorted_causes,
)
from unspool.model.insights import CacheBreak, CallFact, Cause, Causes, Loop, ResponseFact
from unspool.model.prices import PriceTable

T = TypeVar("T")
_ATTRIBUTED: Final = {"skills": "skill", "mcp_servers": "mcp", "commands": "command"}


def causes_by_day(
    facts: InsightFacts,
    table: PriceTable,
    day_of: Callable[[int], int],
    is_wanted: Callable[[ResponseFact], bool] = lambda _: True,
) -> dict[int, Causes]:
    """The same dollars by token kind, by agent and by tool, and what was avoidable; by day."""
    costs = TokenCosts(table)
    pairs = [one for one in calls_by_response(facts.calls, facts.responses) if is_wanted(one[0])]
    days = _by_day(pairs, lambda one: day_of(one[0].at))
    found = cache_breaks(facts.responses, facts.compactions, costs.rewrite_price)
    wanted = {_place(response) for response, _ in pairs}
    breaks = _by_day((one for one in found if _place(one) in wanted), lambda one: day_of(one.at))
    shares = costs_by_call(pairs)
    mine = (one for one in loops(facts.calls, shares) if one.tool_use_id in shares)
    repeated = _by_day(mine, lambda one: day_of(one.start))
    attributed = {
        name: _by_day(cause_totals(facts, by, is_wanted), lambda one: day_of(int(one[0])))
        for name, by in _ATTRIBUTED.items()
    }
    looping = _looping(facts.calls)
    return {
        day: Causes(
            pico=sum(response.pico or 0 for response, _ in some),
            kinds=tuple(costs.by_kind(response for response, _ in some)),
            askers=tuple(by_asker((response for response, _ in some), facts.agent_types)),
            tools=tuple(by_tool(some)),
            breaks=tuple(breaks.get(day, ())),
            loops=tuple(repeated.get(day, ())),
            avoidable=_avoidable(some, breaks.get(day, ()), looping),
            **{name: ranked_causes(totals.get(day, ())) for name, totals in attributed.items()},
        )
        for day, some in days.items()
    }


def _by_day(values: Iterable[T], day: Callable[[T], int]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = {}
    for value in values:
        found.setdefault(day(value), []).append(value)
    return found


def _place(one: ResponseFact | CacheBreak) -> tuple[str, str, str, int]:
    return one.project_id, one.session_id, one.agent, one.at


def _looping(calls: Sequence[CallFact]) -> set[tuple[int, str]]:
    """Calls that are part of a loop, by session and id."""
    found: set[tuple[int, str]] = set()
    run: list[CallFact] = []
    for call in [*calls, None]:
        last = run[-1] if run else None
        if call is None or last is None or _key(call) != _key(last):
            if last is not None and last.state == "error" and len(run) >= MIN_LOOP:
                found |= {(one.session, one.tool_use_id) for one in run}
            run = []
        if call is not None:
            run.append(call)
    return found


def _key(call: CallFact) -> tuple[int, str, str, bool]:
    return call.session, call.agent, call.name, call.state == "error"


def _avoidable(
    pairs: Iterable[ResponseCalls], breaks: Iterable[CacheBreak], looping: set[tuple[int, str]]
) -> int:
    """The cost of cache breaks and of loops; of a response that is both, no part counts twice."""
    broken = {_place(one): one.pico for one in breaks}
    total = 0
    for response, calls in pairs:
        pico, lost = response.pico or 0, broken.get(_place(response), 0)
        again = sum((call.session, call.tool_use_id) in looping for call in calls)
        part = pico * again // len(calls) if again else 0
        total += part + lost - (lost * again // len(calls) if again else 0)
    return total


def merge_causes(days: Iterable[Causes]) -> Causes:
    """Some days together."""
    every = list(days)
    breaks: list[CacheBreak] = [lost for one in every for lost in one.breaks]
    repeated: list[Loop] = [loop for one in every for loop in one.loops]
    sides = ("kinds", "askers", "tools", *_ATTRIBUTED)
    return Causes(
        pico=sum(one.pico for one in every),
        breaks=tuple(sorted(breaks, key=lambda one: (-one.pico, one.at))),
        loops=tuple(sorted(repeated, key=lambda one: (-one.times, -one.start))),
        avoidable=sum(one.avoidable for one in every),
        **{side: _merged(getattr(one, side) for one in every) for side in sides},
    )


def _merged(sides: Iterable[Sequence[Cause]]) -> tuple[Cause, ...]:
    sums: dict[str, int] = {}
    counts: dict[str, int] = {}
    for cause in (cause for side in sides for cause in side):
        sums[cause.name] = sums.get(cause.name, 0) + cause.pico
        counts[cause.name] = counts.get(cause.name, 0) + cause.responses
    return tuple(sorted_causes(sums, counts))


def causes_between(days: Mapping[int, Causes], first: int, last: int) -> Causes:
    """From one day to another, both included."""
    return merge_causes(causes for day, causes in sorted(days.items()) if first <= day <= last)
