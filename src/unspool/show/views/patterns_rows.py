"""Made-up sessions -> rows of the board, the list, the search and the doctor, in every state."""

from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct

from unspool.model.api import SearchAnswer, SearchResult
from unspool.model.document import PendingTool, SessionInfo, Status, StatusName, TotalMetrics
from unspool.model.health import Finding, IndexStatus, IndexWriter, Lag
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.session import Board, BoardRow, BoardSpend, SessionSummary
from unspool.show.views.board import Beside, BoardPage, board_page
from unspool.show.views.health import HealthPage, health_page
from unspool.show.views.search import Asked as Searched
from unspool.show.views.search import Beside as BesideHits
from unspool.show.views.search import SearchPage, search_page
from unspool.show.views.sessions import Asked, SessionsPage, sessions_page
from unspool.show.views.sessions import Beside as BesideList
from unspool.show.views.shell import Shell

_NOW: Final = 1_794_752_700_000  # 2026-11-15T14:25:00Z
_HOUR: Final = 3_600_000
_MIDNIGHT: Final = 1_794_700_800_000


class Rows(Struct, frozen=True, kw_only=True):
    """Pages of which the patterns show the rows."""

    board: BoardPage
    listed: SessionsPage
    found: SearchPage
    health: HealthPage


def rows(shell: Shell) -> Rows:
    """Always the same."""
    strips = {f"{name}-{n}/s-{n}": _strip(n) for name in "pq" for n in range(4)}
    lag, writer = Lag(40, 31_000_000), IndexWriter(pid=1)
    index = IndexStatus(home="", archived_bytes=69_000_000, lag=lag, writer=writer)
    beside = Beside(strips=strips, midnight=_MIDNIGHT, index=index, zone=UTC)
    items = [_item(0, pinned=True), _item(1, source_gone=True, agents=3), _item(2, hidden=True)]
    return Rows(
        board=board_page(Board(at=_NOW, rows=tuple(_board())), shell, beside),
        listed=sessions_page(items, shell, Asked(), BesideList(now=_NOW, strips=strips, zone=UTC)),
        found=search_page(Searched(q="limit"), _hits(), shell, BesideHits(now=_NOW, zone=UTC)),
        health=health_page(_FINDINGS, index, shell),
    )


def _board() -> list[BoardRow]:
    asks = PendingTool("t", "Bash", "rm -rf build && make release")
    return [
        _row(0, "waiting_for_approval", 3, waits_for=f"Bash {asks.summary}", pending_tool=asks),
        _row(1, "working", 0, running=("Edit src/checkout/theme.css",), agents=("a", "b", "c")),
        _row(2, "waiting_for_input", 22, recent_output="Two blocking comments, five nits."),
        _row(3, "idle", 240),
    ]


_TITLES: Final = (
    "Make the rate limiter per tenant",
    "Dark mode for the checkout",
    "Review the pull request",
    "Name the migration steps",
)


def _row(number: int, state: StatusName, minutes: int, **more: Any) -> BoardRow:
    about = {name: more.pop(name) for name in ("pending_tool", "recent_output") if name in more}
    info = _info(number, Status(state, _iso(_NOW - minutes * 60_000), "hook"), **about)
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
        start_time=_iso(start),
        end_time=_iso(_NOW),
        duration_ms=_NOW - start,
        **more,
    )


def _item(number: int, **more: Any) -> SessionSummary:
    states: tuple[StatusName, ...] = ("working", "ended", "idle")
    info = _info(number, Status(states[number]), "q")
    return SessionSummary(session=info, metrics=TotalMetrics(cost_usd=1.06 + number), **more)


def _strip(number: int) -> ActivityStrip:
    start, step = _NOW - (number + 1) * _HOUR, 60_000
    turns = [TimeSpan(start + n * 10 * step, start + (n * 10 + 7) * step) for n in range(6)]
    calls = [CallSpan(start + n * step, start + (n + 1) * step, n == 30) for n in range(0, 57, 3)]
    waits = (TimeSpan(start + 21 * step, start + 24 * step),)
    return ActivityStrip(turns=tuple(turns), calls=tuple(calls), waits=waits)


def _hits() -> SearchAnswer:
    texts = (
        ("prompt", "Make the rate limit per tenant", ((14, 19),)),
        ("tool_result", "src/limits.py:41: def limit(tenant):\n    return 100", ((22, 27),)),
    )
    items = (
        SearchResult(
            session_id="s-0",
            project_id="p-0",
            project_name="api-server",
            title=_TITLES[0],
            turn=2,
            line=n,
            event_id=f"1.0.{n}",
            kind=kind,
            timestamp=_iso(_NOW - n * _HOUR),
            snippet=snippet,
            ranges=ranges,
        )
        for n, (kind, snippet, ranges) in enumerate(texts)
    )
    return SearchAnswer(items=tuple(items))


_FINDINGS: Final = (
    Finding(about="modes", grade="wrong", said="Others may read 2 paths.", fix="chmod -R go= DIR"),
    Finding(about="hooks", grade="note", said="No hooks.", fix="unspool hooks install"),
    Finding(about="sqlite", said="3.54.0, without the bug that breaks logs."),
)


def _iso(ms: int) -> str:
    at = datetime.fromtimestamp(ms / 1_000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.000Z"
