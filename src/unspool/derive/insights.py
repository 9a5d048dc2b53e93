"""Tool calls and API responses of many sessions -> tool counts, failure loops, and cost causes.

All calls and responses come in the order of session, agent and time.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple, TypeAlias

from unspool.derive.usage.cache import rewritten_tokens
from unspool.derive.usage.prices import PriceParts, Pricer, price_parts, rewrite_price
from unspool.model.insights import (
    TOKEN_KINDS,
    CacheBreak,
    CallFact,
    Loop,
    PromptFact,
    ResponseFact,
    ToolCount,
)
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.usage import Tokens

MIN_LOOP: Final = 3
_SHORT_MS, _LONG_MS = 5 * 60_000, 60 * 60_000

# Response, tokens that it wrote once more -> what that cost, in picodollars.
RewritePrice: TypeAlias = Callable[[ResponseFact, int], int]
ResponseCalls: TypeAlias = tuple[ResponseFact, list[CallFact]]
_CallsByAgent: TypeAlias = dict[tuple[int, str], list[CallFact]]


class InsightFacts(NamedTuple):
    """The calls, responses, compactions and agents of one period."""

    calls: list[CallFact]
    responses: list[ResponseFact]
    compactions: dict[int, list[int]]
    agent_types: dict[tuple[int, str], str]
    prompts: Sequence[PromptFact] = ()


def without_sessions(facts: InsightFacts, sessions: Iterable[int]) -> InsightFacts:
    """The same without what some sessions did."""
    gone = set(sessions)
    return facts._replace(
        calls=[one for one in facts.calls if one.session not in gone],
        responses=[one for one in facts.responses if one.session not in gone],
        compactions={one: at for one, at in facts.compactions.items() if one not in gone},
        prompts=[one for one in facts.prompts if one.session not in gone],
    )


def joined_facts(first: InsightFacts, second: InsightFacts) -> InsightFacts:
    """Facts of different sessions together."""
    return InsightFacts(
        first.calls + second.calls,
        first.responses + second.responses,
        first.compactions | second.compactions,
        first.agent_types | second.agent_types,
        [*first.prompts, *second.prompts],
    )


# --- Tools ---


def tool_counts(calls: Iterable[CallFact], waits: Mapping[str, int]) -> list[ToolCount]:
    """One count per tool, the most used first; a call without a result has no duration."""
    groups: dict[str, list[CallFact]] = {}
    for call in calls:
        groups.setdefault(call.name or "?", []).append(call)
    counts = [_tool_count(name, group, waits) for name, group in groups.items()]
    return sorted(counts, key=lambda count: (-count.calls, count.name))


def _tool_count(name: str, calls: Sequence[CallFact], waits: Mapping[str, int]) -> ToolCount:
    durations = sorted(_run_ms(call, waits) for call in calls if call.duration_ms is not None)
    call_waits = [waits[call.tool_use_id] for call in calls if call.tool_use_id in waits]
    return ToolCount(
        name=name,
        calls=len(calls),
        errors=sum(call.state == "error" for call in calls),
        rejected=sum(call.state == "rejected" for call in calls),
        median_ms=quantile(durations, 0.5),
        p95_ms=quantile(durations, 0.95),
        waited=len(call_waits),
        waited_ms=sum(call_waits),
    )


def _run_ms(call: CallFact, waits: Mapping[str, int]) -> int:
    """How long the tool itself ran, without the wait for approval."""
    return max(0, (call.duration_ms or 0) - waits.get(call.tool_use_id, 0))


def quantile(ordered: Sequence[int], part: float) -> int | None:
    """The least value that at least this part of all values does not exceed."""
    if not ordered:
        return None
    return ordered[max(0, -(-len(ordered) * round(part * 100) // 100) - 1)]


def loops(calls: Iterable[CallFact], costs: Mapping[str, int]) -> list[Loop]:
    """Runs of failures of one tool, the longest first; `costs` are by call."""
    result = []
    for (_, _, name, failed), run in groupby(calls, key=_tool_and_outcome):
        group = list(run)
        if failed and len(group) >= MIN_LOOP:
            result.append(_loop(name, group, costs))
    return sorted(result, key=lambda loop: (-loop.times, -loop.start))


def _tool_and_outcome(call: CallFact) -> tuple[int, str, str, bool]:
    return call.session, call.agent, call.name, call.state == "error"


def _loop(name: str, calls: list[CallFact], costs: Mapping[str, int]) -> Loop:
    first, last = calls[0], calls[-1]
    return Loop(
        name=name or "?",
        times=len(calls),
        project_id=first.project_id,
        session_id=first.session_id,
        start=first.start,
        end=last.start + (last.duration_ms or 0),
        pico=sum(costs.get(call.tool_use_id, 0) for call in calls),
        agent=first.agent,
        tool_use_id=first.tool_use_id,
    )


# --- Where the dollars went ---


def costs_by_call(pairs: Iterable[ResponseCalls]) -> dict[str, int]:
    """Call -> its share of the cost of the response that made it."""
    return {
        call.tool_use_id: (response.pico or 0) // len(calls)
        for response, calls in pairs
        for call in calls
    }


def calls_by_response(
    calls: Iterable[CallFact], responses: Iterable[ResponseFact]
) -> Iterator[ResponseCalls]:
    """Each response with its calls: those of its agent from its start until the next response."""
    remaining = _by_agent(calls)
    last: ResponseFact | None = None
    for response in responses:
        if last is not None:
            is_same = (last.session, last.agent) == (response.session, response.agent)
            yield last, _pop_calls(remaining, last, response.at if is_same else None)
        last = response
    if last is not None:
        yield last, _pop_calls(remaining, last, None)


def _by_agent(calls: Iterable[CallFact]) -> _CallsByAgent:
    """Calls by session and agent, the last one first."""
    groups: _CallsByAgent = {}
    for call in calls:
        groups.setdefault((call.session, call.agent), []).append(call)
    for group in groups.values():
        group.sort(key=lambda call: (call.start, call.tool_use_id), reverse=True)
    return groups


def _pop_calls(
    remaining: _CallsByAgent, response: ResponseFact, until: int | None
) -> list[CallFact]:
    group, calls = remaining.get((response.session, response.agent), []), list[CallFact]()
    while group and (until is None or group[-1].start < until):
        call = group.pop()
        if call.start >= response.at:
            calls.append(call)
    return calls


class TokenCosts:
    """Splits the cost of responses by token kind, at the rates each response was priced at."""

    def __init__(self, table: PriceTable) -> None:
        self._table = table
        self._row_of = Pricer(table).row

    def by_kind(self, response: ResponseFact) -> Iterator[tuple[str, int]]:
        """Picodollars of one response by token kind; nothing where it has no price."""
        pairs = zip(TOKEN_KINDS, self._parts(response), strict=True)
        return ((name, pico) for name, pico in pairs if pico)

    def rewrite_price(self, response: ResponseFact, lost: int) -> int:
        """What it cost beyond reading them to write these tokens once more."""
        row = self._row(response)
        return 0 if row is None else rewrite_price(lost, _tokens(response), row, self._table)

    def _parts(self, response: ResponseFact) -> PriceParts:
        row = self._row(response)
        if row is None or response.pico is None:
            return PriceParts()
        return price_parts(_tokens(response), row, self._table)

    def _row(self, response: ResponseFact) -> PriceRow | None:
        return self._row_of(response.model, response.at)


def _tokens(response: ResponseFact) -> Tokens:
    return Tokens(
        response.input_tokens,
        response.output_tokens,
        response.cache_read,
        response.cache_write,
        response.write_5m,
        response.write_1h,
        response.web_searches,
        response.speed,
        response.geo,
    )


# --- Cache breaks ---


def cache_breaks(
    responses: Iterable[ResponseFact], compactions: Mapping[int, list[int]], price: RewritePrice
) -> list[CacheBreak]:
    """Responses that wrote again what was just cached, the most expensive first."""
    breaks = []
    for last, response in pairwise(responses):
        if (last.session, last.agent) != (response.session, response.agent):
            continue
        cached = last.cache_read + last.cache_write
        if lost := rewritten_tokens(cached, response.cache_read, response.cache_write):
            why = _break_reason(last, response, compactions.get(response.session, []))
            breaks.append(_cache_break(response, lost, why, price))
    return sorted(breaks, key=lambda one: (-one.pico, one.at))


def _break_reason(last: ResponseFact, response: ResponseFact, compactions: list[int]) -> str:
    if bisect_right(compactions, response.at) > bisect_right(compactions, last.at):
        return "after a compaction"
    if last.model != response.model:
        return "another model"
    lifetime = _LONG_MS if last.write_1h or response.write_1h else _SHORT_MS
    if response.at - last.at > lifetime:
        return "a pause longer than the cache lifetime"
    return "the beginning of the prompt changed"


def _cache_break(response: ResponseFact, lost: int, why: str, price: RewritePrice) -> CacheBreak:
    return CacheBreak(
        why=why,
        project_id=response.project_id,
        session_id=response.session_id,
        at=response.at,
        tokens=lost,
        pico=price(response, lost),
        agent=response.agent,
        model=response.model,
        line=response.line,
    )
