"""Calls and responses -> where the dollars of each day went, and of some days.

What is true of a day does not depend on which days are asked for: a cache break, or a failure
that repeats, is found over all of a session.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from unspool.derive.cost_causes import (
    COMPACTION,
    MAIN,
    MCP,
    NONE,
    UNKNOWN,
    cause_names,
    counts_of,
    shares,
)
from unspool.derive.insights import (
    MIN_LOOP,
    InsightFacts,
    TokenCosts,
    cache_breaks,
    calls_by_response,
)
from unspool.derive.usage.reports import sum_spend
from unspool.model.insights import (
    ANSWERS,
    MAIN_CONVERSATION,
    SKILLS,
    TOKEN_KINDS,
    UNTYPED,
    CacheBreak,
    CallFact,
    Cause,
    CauseReport,
    Causes,
    CauseSum,
    ResponseFact,
)
from unspool.model.prices import PriceTable

_COUNTS: Final = CauseSum._fields.index("input_tokens")
_PICO: Final = CauseSum._fields.index("pico") - _COUNTS
_RESPONSES: Final = CauseSum._fields.index("responses") - _COUNTS
_NOTHING: Final = (0,) * (len(CauseSum._fields) - _COUNTS)
_LONGEST: Final = 300  # letters of a name: the index of a database takes no long ones
_ASKERS: Final = {MAIN: MAIN_CONVERSATION, COMPACTION: "Compaction", UNKNOWN: UNTYPED}
_TOOLS: Final = {NONE: ANSWERS, "Skill": SKILLS}


class _Sums:
    """Adds up by session, day, model, side and name: at the end, which is faster."""

    def __init__(self, day_of: Callable[[int], int]) -> None:
        self._day_of = day_of
        self._parts: dict[tuple[int, int, str, str, str], list[Sequence[int]]] = {}

    def add(self, response: ResponseFact, side: str, name: str, counts: Sequence[int]) -> None:
        """Count these, in the order of `CauseSum`, its two times last."""
        day = self._day_of(response.at)
        key = response.session, day, response.model, side, name[:_LONGEST]
        self._parts.setdefault(key, []).append(counts)

    def add_dollars(self, response: ResponseFact, side: str, name: str, pico: int) -> None:
        """Count dollars alone."""
        counts = list(_NOTHING)
        counts[_PICO], counts[_RESPONSES] = pico, 1
        self.add(response, side, name, counts)

    def rows(self) -> list[CauseSum]:
        """All of it."""
        return [
            CauseSum(*key, *sum_spend(parts))  # type: ignore[arg-type]
            for key, parts in self._parts.items()
        ]


def daily_causes(
    facts: InsightFacts, table: PriceTable, day_of: Callable[[int], int]
) -> CauseReport:
    """The same dollars by token kind, by agent, by tool and so on, and what was avoidable."""
    costs, sums = TokenCosts(table), _Sums(day_of)
    pairs = list(calls_by_response(facts.calls, facts.responses))
    sides = cause_names(facts)
    for response, calls in pairs:
        whole = counts_of(response)
        for side, names in sides.items():
            for name, counts in shares(whole, names(response, calls) or (NONE,)):
                sums.add(response, side, name, counts)
        for kind, pico in costs.by_kind(response):
            sums.add_dollars(response, "kind", kind, pico)
    breaks = cache_breaks(facts.responses, facts.compactions, costs.rewrite_price)
    broken = {_place(one): one for one in breaks}
    looping = _looping(facts.calls)
    for response, calls in pairs:
        lost = broken.get(_place(response))
        again = sum((call.session, call.tool_use_id) in looping for call in calls)
        looped = (response.pico or 0) * again // len(calls) if again else 0
        if lost:
            sums.add_dollars(response, "break", lost.why, lost.pico)
        if looped:
            sums.add_dollars(response, "loop", "", looped)
        # Of a response that is both, no part counts twice.
        rewritten = lost.pico if lost else 0
        avoidable = looped + rewritten - (rewritten * again // len(calls) if again else 0)
        if avoidable:
            sums.add_dollars(response, "avoidable", "", avoidable)
    return CauseReport(sums.rows(), breaks)


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


def causes_of(report: CauseReport) -> Causes:
    """Some sums together, the most expensive of each side first."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for one in report.sums:
        names = found.setdefault(one.side, {})
        pico, responses = names.get(one.name, (0, 0))
        names[one.name] = pico + one.pico, responses + one.responses

    def side(name: str, label: Callable[[str], str] = str) -> tuple[Cause, ...]:
        return _ranked((label(one), *sums) for one, sums in found.get(name, {}).items())

    def attributed(name: str) -> tuple[Cause, ...]:
        return tuple(one for one in side(name) if one.name != NONE)

    def dollars(name: str) -> int:
        return sum(pico for pico, _ in found.get(name, {}).values())

    return Causes(
        pico=dollars("agent"),
        kinds=tuple(sorted(side("kind"), key=_by_kind)),
        askers=side("agent", lambda name: _ASKERS.get(name, name)),
        tools=side("tool", _tool),
        skills=attributed("skill"),
        mcp_servers=attributed("mcp"),
        commands=attributed("command"),
        breaks=side("break"),
        worst_breaks=tuple(report.breaks),
        looped=dollars("loop"),
        avoidable=dollars("avoidable"),
        waiting=report.waiting,
    )


def _ranked(amounts: Iterable[tuple[str, int, int]]) -> tuple[Cause, ...]:
    sums: dict[str, tuple[int, int]] = {}
    for name, pico, responses in amounts:
        before = sums.get(name, (0, 0))
        sums[name] = before[0] + pico, before[1] + responses
    found = (Cause(name=name, pico=pico, responses=n) for name, (pico, n) in sums.items())
    return tuple(sorted(found, key=lambda cause: (-cause.pico, cause.name)))


def _by_kind(cause: Cause) -> tuple[int, int]:
    return -cause.pico, TOKEN_KINDS.index(cause.name)


def _tool(name: str) -> str:
    """An MCP server is one cause, and so are skills."""
    if name.startswith(MCP):
        return f"MCP {name.removeprefix(MCP).partition('__')[0]}"
    return _TOOLS.get(name, name)
