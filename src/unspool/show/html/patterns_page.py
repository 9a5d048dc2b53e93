"""The pattern library: every component in every state, with made-up data."""

from datetime import UTC
from typing import Any, ClassVar, Final

from msgspec import Struct
from msgspec.structs import astuple

from unspool.model.api import SearchResult
from unspool.model.document import (
    Categories,
    Compaction,
    PendingTool,
    SessionInfo,
    Status,
    StatusName,
    TotalMetrics,
)
from unspool.model.health import Finding, IndexStatus, Lag, WriterProcess
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.search import MatchedSessions, SessionMatches
from unspool.model.session import Board, BoardRow, BoardSpend, SessionSummary
from unspool.model.steps import ContextPoint
from unspool.model.usage import HourSpend
from unspool.show.charts.context import ContextChart, context
from unspool.show.charts.spend import (
    Amount,
    DayCosts,
    Heatmap,
    Ranked,
    StackedBars,
    heatmap,
    ranked,
    stacked_bars,
)
from unspool.show.charts.spool import Live, Spool, spool
from unspool.show.charts.spool_data import AgentInterval, CallMark, Interval, SpoolData
from unspool.show.charts.waterfall import WaterfallChart, WaterfallStep, waterfall
from unspool.show.cost_json import iso
from unspool.show.html.board_page import BoardContext, BoardPage, board_page
from unspool.show.html.health_page import HealthPage, health_page
from unspool.show.html.search_page import SearchContext, SearchPage, SearchPageQuery, search_page
from unspool.show.html.sessions_page import (
    SessionListContext,
    SessionListQuery,
    SessionsPage,
    sessions_page,
)
from unspool.show.html.shell import Shell

_NOW: Final = 1_794_752_700_000  # 2026-11-15T14:25:00Z
_HOUR: Final = 3_600_000
_MIDNIGHT: Final = 1_794_700_800_000


class PatternRows(Struct, frozen=True, kw_only=True):
    """Pages whose rows are shown."""

    board: BoardPage
    sessions: SessionsPage
    search: SearchPage
    health: HealthPage


def pattern_rows(shell: Shell) -> PatternRows:
    """Always the same."""
    strips = {f"{name}-{n}/s-{n}": _strip(n) for name in "pq" for n in range(4)}
    lag, writer = Lag(40, 31_000_000), WriterProcess(pid=1)
    index = IndexStatus(home="", archived_bytes=69_000_000, lag=lag, writer=writer)
    context = BoardContext(strips=strips, midnight=_MIDNIGHT, index=index, zone=UTC)
    items = [
        _list_item(0, pinned=True),
        _list_item(1, source_gone=True, agents=3),
        _list_item(2, hidden=True),
    ]
    return PatternRows(
        board=board_page(Board(at=_NOW, rows=tuple(_board())), shell, context),
        sessions=sessions_page(
            items, shell, SessionListQuery(), SessionListContext(now=_NOW, strips=strips, zone=UTC)
        ),
        search=search_page(
            SearchPageQuery(q="limit"),
            _hits(),
            shell,
            SearchContext(
                now=_NOW,
                zone=UTC,
                sessions={("p-0", "s-0"): items[0]},
                strips={("p-0", "s-0"): strips["p-0/s-0"]},
            ),
        ),
        health=health_page(_FINDINGS, index, shell),
    )


def _board() -> list[BoardRow]:
    asks = PendingTool("t", "Bash", "rm -rf build && make release")
    return [
        _board_row(
            0, "waiting_for_approval", 3, waits_for=f"Bash {asks.summary}", pending_tool=asks
        ),
        _board_row(
            1, "working", 0, running=("Edit src/checkout/theme.css",), agents=("a", "b", "c")
        ),
        _board_row(2, "waiting_for_input", 22, recent_output="Two blocking comments, five nits."),
        _board_row(3, "idle", 240),
    ]


_TITLES: Final = (
    "Make the rate limiter per tenant",
    "Dark mode for the checkout",
    "Review the pull request",
    "Name the migration steps",
)


def _board_row(number: int, state: StatusName, minutes: int, **more: Any) -> BoardRow:
    about = {name: more.pop(name) for name in ("pending_tool", "recent_output") if name in more}
    info = _info(number, Status(state, iso(_NOW - minutes * 60_000), "hook"), **about)
    spent = BoardSpend(tokens=120_000, cost_usd=3.1 / (number + 1))
    used = 142_000 - number * 40_000
    return BoardRow(session=info, today=spent, context_tokens=used, context_limit=200_000, **more)


def _info(number: int, status: Status, project: str = "p", **more: Any) -> SessionInfo:
    start = _NOW - (number + 1) * _HOUR
    return SessionInfo(
        id=f"s-{number}",
        project_id=f"{project}-{number}",
        project_name=("api-server", "web", "mobile", "billing")[number],
        title=_TITLES[number],
        git_branch="main",
        status=status,
        start_time=iso(start),
        end_time=iso(_NOW),
        duration_ms=_NOW - start,
        **more,
    )


def _list_item(number: int, **more: Any) -> SessionSummary:
    states: tuple[StatusName, ...] = ("working", "ended", "idle")
    info = _info(number, Status(states[number]), "q")
    return SessionSummary(session=info, metrics=TotalMetrics(cost_usd=1.06 + number), **more)


def _strip(number: int) -> ActivityStrip:
    start, step = _NOW - (number + 1) * _HOUR, 60_000
    turns = [TimeSpan(start + n * 10 * step, start + (n * 10 + 7) * step) for n in range(6)]
    calls = [CallSpan(start + n * step, start + (n + 1) * step, n == 30) for n in range(0, 57, 3)]
    waits = (TimeSpan(start + 21 * step, start + 24 * step),)
    return ActivityStrip(turns=tuple(turns), calls=tuple(calls), waits=waits)


def _hits() -> MatchedSessions:
    texts = (
        ("prompt", "Make the rate limit per tenant", ((14, 19),)),
        ("tool_result", "src/limits.py:41: def limit(tenant):\n    return 100", ((22, 27),)),
    )
    items = [
        SearchResult(
            session_id="s-0",
            project_id="p-0",
            project_name="api-server",
            title=_TITLES[0],
            turn=2,
            line=n,
            event_id=f"1.0.{n}",
            kind=kind,
            timestamp=iso(_NOW - n * _HOUR),
            snippet=snippet,
            ranges=ranges,
        )
        for n, (kind, snippet, ranges) in enumerate(texts)
    ]
    group = SessionMatches(
        project_id="p-0",
        session_id="s-0",
        kinds={"prompt": 1, "tool_result": 1},
        best=tuple(items[:1]),
        others=tuple(items[1:]),
        times=tuple((_NOW - n * _HOUR // 2, f"1.0.{n}") for n in range(2)),
    )
    return MatchedSessions(kinds=group.kinds, hits=len(items), sessions=1, groups=(group,))


_FINDINGS: Final = (
    Finding(
        about="modes", grade="wrong", said="Other users may read 2 paths.", fix="chmod -R go= DIR"
    ),
    Finding(about="hooks", grade="note", said="No hooks.", fix="unspool hooks install"),
    Finding(about="sqlite", said="3.54.0; not affected by the WAL reset bug."),
)


class PatternsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "patterns.html"
    shell: Shell
    rows: tuple[tuple[str, Spool], ...]
    cards: tuple[tuple[str, Spool], ...]
    page: Spool
    days: StackedBars
    ranked: Ranked
    heat: Heatmap
    context: ContextChart
    waterfall: WaterfallChart
    examples: PatternRows
    ansi: str = (
        "\x1b[1mbold\x1b[0m \x1b[2mdim\x1b[0m \x1b[31mred\x1b[0m \x1b[32mgreen\x1b[0m "
        "\x1b[33myellow\x1b[0m \x1b[34mblue\x1b[0m \x1b[35mmagenta\x1b[0m \x1b[36mcyan\x1b[0m "
        "\x1b[7minverse\x1b[0m\n\x1b[31mFAILED\x1b[0m tests/test_limits.py::test_per_tenant"
    )
    hidden: str = 'access = "user\u202enimda"'
    prose: str = (
        "Plain prose in one column of 72 characters, with `code`, **weight** and a "
        "[link](https://example.com).\n\n- One item\n- Another\n\n```python\n"
        'def limit(tenant: str) -> int:\n    """How many calls."""\n    return 100\n```\n'
    )
    diff: tuple[tuple[str, str, str, tuple[tuple[str, str], ...]], ...] = (
        ("@", "", "", (("", "lines 41 to 44"),)),
        (" ", "41", "41", (("", "def check(self, request):"),)),
        ("-", "42", "", (("", "    key = "), ("del", "request.route"))),
        ("+", "", "42", (("", "    key = "), ("ins", "(request.tenant, request.route)"))),
        (" ", "43", "43", (("", "    return self._take(key)"),)),
    )


_TURNS: Final = ((0.0, 0.16), (0.2, 0.36), (0.38, 0.6), (0.63, 0.78), (0.8, 0.985))


def patterns_page(shell: Shell) -> PatternsPage:
    """Always the same, for screenshots and tests."""
    days = [DayCosts(f"{n} Nov", _costs(n)) for n in range(1, 20)]
    causes = (("Cache reads", 199.61), ("Output", 110.31), ("Cache writes", 78.79))
    return PatternsPage(
        shell=shell,
        rows=_spool_rows(),
        cards=_spool_cards(),
        page=spool(_tape(), "page", "work", "a session of five turns, working", brush=(0.38, 0.6)),
        days=stacked_bars(days, "m"),
        ranked=ranked((Amount(name, usd) for name, usd in causes), "by cause"),
        heat=heatmap(
            {(day, hour): HourSpend(_hour(day, hour)) for day in range(7) for hour in range(24)}
        ),
        context=_context(),
        waterfall=waterfall(_STEPS, "turn 1"),
        examples=pattern_rows(shell),
    )


def _spool_rows() -> tuple[tuple[str, Spool], ...]:
    cases: tuple[tuple[str, Live, SpoolData], ...] = (
        ("working", "work", _tape()),
        ("needs approval", "wait", _tape(wait=True)),
        ("your turn or idle", "", _tape()),
        ("ended well", "ok", _tape(0.96)),
        ("failed", "fail", _tape(0.96)),
        ("just begun", "work", _tape(0.05)),
        ("nothing known yet", "", SpoolData()),
    )
    rows = [(name, spool(tape, "row", live, f"a session, {name}")) for name, live, tape in cases]
    hits = spool(_tape(), "row", "", "a session with four hits", hits=(0.1, 0.3, 0.33, 0.7))
    return (*rows, ("search hits", hits), ("10,000 steps", spool(_long(), "row", "work", "long")))


def _spool_cards() -> tuple[tuple[str, Spool], ...]:
    return (
        ("working", spool(_tape(), "card", "work", "a session, working")),
        ("needs approval", spool(_tape(wait=True), "card", "wait", "a session, needs approval")),
        ("failed", spool(_tape(0.96), "card", "fail", "a session, failed")),
    )


def _tape(part: float = 1.0, *, wait: bool = False) -> SpoolData:
    tools = [
        CallMark(n / 90, (n * 7 % 11) / 500, n in (31, 68)) for n in range(90) if n * 5 % 13 > 3
    ]
    inside = [tool for tool in tools if any(a <= tool.start < b for a, b in _TURNS)]
    return SpoolData(
        turns=tuple(Interval(a * part, b * part) for a, b in _TURNS),
        thinking=tuple(Interval((a + 0.01) * part, (a + 0.03) * part) for a, _ in _TURNS),
        tools=tuple(CallMark(t.start * part, t.length, t.failed) for t in inside),
        agents=tuple(AgentInterval(a * part, b * part, n) for n, (a, b) in enumerate(_TURNS[1:4])),
        waits=(Interval(0.93 * part, 0.985 * part),)
        if wait
        else (Interval(0.3 * part, 0.33 * part),),
        cuts=(0.615 * part,),
    )


def _long() -> SpoolData:
    turns = tuple(Interval(n / 40, (n + 0.8) / 40) for n in range(40))
    tools = tuple(CallMark(n / 10_000, (n * 7 % 23) / 4_000, n % 900 == 7) for n in range(10_000))
    return SpoolData(turns=turns, tools=tools, cuts=(0.12, 0.4, 0.69))


def _costs(day: int) -> dict[str, float]:
    part = 0.2 if day % 7 in (0, 1) else 1.0
    size = 12 + day * 7 % 19
    return {"opus-5": size * part, "sonnet-5": size * part / 2.6, "haiku-4-5": size * part / 9}


def _hour(day: int, hour: int) -> float:
    busy = 0.0 if hour < 7 or hour > 21 else 4.0 if 9 <= hour <= 17 else 1.2
    return busy * (0.25 if day > 4 else 1.0) * (0.4 + (day * 5 + hour * 3) % 7 / 7)


def _context() -> ContextChart:
    sizes = ((n, n if n < 14 else n - 13) for n in range(24))
    points = [_context_point(n, age) for n, age in sizes]
    return context(points, {1: Compaction("auto", 168_000, 31_000, 137_000)}, 200_000, "m")


def _context_point(number: int, age: int) -> ContextPoint:
    held = Categories(
        claude_md=14_000,
        mentioned_files=2_000 + age * 700,
        tool_outputs=5_000 + age * 7_000,
        thinking_text=age * 900,
        task_coordination=1_000 + age * 200,
        user_messages=600 + age * 150,
        skills=3_000,
    )
    sizes = astuple(held)
    return ContextPoint(0, number + 1, 1 if number < 14 else 2, sizes, sum(sizes) + 11_000)


_STEPS: Final = (
    WaterfallStep("Thinking", 0, 10_000, "think"),
    WaterfallStep("Read 6 files", 10_000, 13_000),
    WaterfallStep("Agent: callers", 13_000, 58_000, "agent"),
    WaterfallStep("Grep", 15_000, 17_000, depth=1),
    WaterfallStep("waited for approval", 58_000, 74_000, "wait"),
    WaterfallStep("Bash pytest", 74_000, 82_000, "err"),
    WaterfallStep("Answer", 84_000, 100_000, "turn"),
)
