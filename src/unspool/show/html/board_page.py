"""The live board: what needs approval first, then working sessions, then the rest."""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import ClassVar, Final

from msgspec import Struct, field

from unspool.model.document import StatusName
from unspool.model.health import IndexStatus
from unspool.model.insights import ActivityStrip
from unspool.model.session import Board, BoardRow
from unspool.show import safe
from unspool.show.board_view import (
    BoardView,
    board_alerts,
    context_share,
    group_by_status,
    row_key,
    sort_rows,
)
from unspool.show.charts.lanes import LaneCache, Lanes, LaneSession, lanes
from unspool.show.charts.spool import Size, Spool, SpoolCache
from unspool.show.html.components import (
    EVIDENCE_LABELS,
    SPOOL_ENDS,
    STATUS_KINDS,
    age_label,
    branch_label,
    project_label,
    row_id,
    session_title,
)
from unspool.show.html.shell import Shell
from unspool.show.labels import model_label
from unspool.show.numbers import format_bytes, format_count, format_usd
from unspool.show.times import clock


class BoardItem(Struct, frozen=True, kw_only=True):
    """One session on the board."""

    id: str
    project_id: str
    session_id: str
    kind: str
    age: str
    since: str | None
    title: str
    place: str
    branch: str
    tool: str
    what: str  # the call to approve, the call at work, or the last words
    last_words: str  # its last words, where `what` is something else
    goal: str  # where its title is something else
    agents: tuple[str, ...]  # at work, by what they were sent to do
    proof: str
    cost: str
    why: str
    percent: int | None
    context_tokens: str  # tokens in the context
    spool: Spool | None
    words: bool = False  # `what` is a sentence, not a command
    alerts: tuple[str, ...] = ()


class BoardGroup(Struct, frozen=True):
    id: str
    name: str
    rows: tuple[BoardItem, ...]


class IndexProgress(Struct, frozen=True):
    """Indexing progress."""

    percent: int
    left: str
    is_written: bool  # whether anybody is at it


class BoardPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "board.html"
    shell: Shell
    headline: str
    summary: str
    waiting: tuple[BoardItem, ...]
    groups: tuple[BoardGroup, ...]
    folds: tuple[BoardGroup, ...]
    alerts: tuple[str, ...]
    is_empty: bool
    day: Lanes | None = None
    progress: IndexProgress | None = None


_NAMES: Final[dict[StatusName, str]] = {
    "failed": "Stopped by an error",
    "limited": "Stopped by a usage limit",
    "working": "Working",
    "waiting_for_input": "Waiting for your prompt",
    "idle": "Idle",
    "ended": "Ended today",
}
_TELLING: Final[dict[StatusName, str]] = {
    "failed": "failed",
    "limited": "at the usage limit",
    "working": "working",
    "waiting_for_input": "waiting for a prompt",
    "idle": "idle",
}
_ASKS: Final = {"AskUserQuestion": "Question", "ExitPlanMode": "Plan"}
_FOLDED: Final = ("idle", "ended")
_MUCH: Final = 1_000_000


class BoardContext(Struct, frozen=True, kw_only=True):
    """Data from the index; strips are keyed by `project/session`."""

    strips: Mapping[str, ActivityStrip] = {}
    spools: SpoolCache = field(default_factory=SpoolCache)
    lanes: LaneCache = field(default_factory=LaneCache)
    midnight: int | None = None
    index: IndexStatus | None = None
    zone: tzinfo | None = None


def board_page(board: Board, shell: Shell, context: BoardContext | None = None) -> BoardPage:
    """A session without a strip has no spool yet."""
    context = context or BoardContext()
    groups = group_by_status(sort_rows(board, BoardView()))
    waiting = groups.pop("waiting_for_approval", [])
    by_status = {
        state: BoardGroup(f"group-{state}", _NAMES[state], _items(rows, board.at, context))
        for state, rows in groups.items()
    }
    return BoardPage(
        shell=shell,
        headline=_headline(len(waiting), bool(board.rows)),
        summary=_say({state: len(rows) for state, rows in groups.items()}),
        waiting=_items(waiting, board.at, context, "card"),
        groups=tuple(group for state, group in by_status.items() if state not in _FOLDED),
        folds=tuple(group for state, group in by_status.items() if state in _FOLDED),
        alerts=tuple(safe.brief(alert.message) for alert in board_alerts(board)[-5:]),
        is_empty=not board.rows,
        day=_day(board, context),
        progress=_progress(context.index),
    )


def _day(board: Board, context: BoardContext) -> Lanes | None:
    if context.midnight is None:
        return None
    sessions = [
        LaneSession(
            session_title(row.session),
            project_label(row.session),
            row.session.project_id,
            row.session.id,
            format_usd(row.today.cost_usd),
            context.strips[row_key(row)],
        )
        for row in board.rows
        if row_key(row) in context.strips
    ]
    return lanes(sessions, context.midnight, board.at, context.zone, context.lanes)


def _progress(index: IndexStatus | None) -> IndexProgress | None:
    """Shown only if enough is missing to matter."""
    if index is None or index.lag.bytes < _MUCH:
        return None
    done = index.archived_bytes
    percent = done * 100 // max(1, done + index.lag.bytes)
    return IndexProgress(percent, format_bytes(index.lag.bytes), index.writer is not None)


def _headline(waiting: int, any_rows: bool) -> str:
    if not any_rows:
        return "No sessions today"
    if not waiting:
        return "No approvals needed"
    return (
        "1 session needs your approval"
        if waiting == 1
        else f"{waiting} sessions need your approval"
    )


def _say(counts: Mapping[StatusName, int]) -> str:
    parts = [f"{counts[state]} {word}" for state, word in _TELLING.items() if state in counts]
    return ", ".join(parts) + "." if parts else ""


def _items(
    rows: Iterable[BoardRow], now: int, context: BoardContext, size: Size = "row"
) -> tuple[BoardItem, ...]:
    return tuple(_item(row, now, context, size) for row in rows)


def _item(row: BoardRow, now: int, context: BoardContext, size: Size) -> BoardItem:
    session, state = row.session, row.session.status.state
    tool, what, words = _what(row)
    used = context_share(row)
    return BoardItem(
        id=row_id(session),
        project_id=session.project_id,
        session_id=session.id,
        kind=STATUS_KINDS[state],
        age=age_label(session.status.since, now),
        since=session.status.since,
        title=session_title(session),
        place=project_label(session),
        branch=branch_label(session),
        tool=safe.brief(tool, 60),
        what=safe.brief(what),
        last_words="" if what == session.recent_output else safe.brief(session.recent_output or ""),
        goal="" if session.goal in ("", session.title) else safe.brief(session.goal),
        agents=tuple(safe.brief(agent, 100) for agent in row.agents),
        proof=_proof(row),
        cost=format_usd(row.today.cost_usd),
        why=_why(row),
        percent=None if used is None else round(used * 100),
        context_tokens=format_count(row.context_tokens) if row.context_tokens else "",
        spool=_spool(row, context, size),
        words=words,
        alerts=tuple(safe.brief(alert.message) for alert in row.alerts[-2:]),
    )


def _spool(row: BoardRow, context: BoardContext, size: Size) -> Spool | None:
    state, key = row.session.status.state, row_key(row)
    strip = context.strips.get(key)
    label = f"{session_title(row.session)}: {state.replace('_', ' ')}"
    return context.spools.draw(key, strip, size, SPOOL_ENDS[state], label) if strip else None


def _what(row: BoardRow) -> tuple[str, str, bool]:
    """The tool, its call, and whether that is a sentence."""
    session = row.session
    if session.status.state == "waiting_for_approval":
        tool = session.pending_tool.name if session.pending_tool else ""
        what = row.waits_for or (session.pending_tool.summary if session.pending_tool else "")
        is_asked = tool in _ASKS or not tool
        return _ASKS.get(tool, tool), what.removeprefix(f"{tool} "), is_asked
    if session.status.reason:
        return "", session.status.reason, True
    if row.running:
        tool, _, what = row.running[0].partition(" ")
        return tool, what, False
    return "", session.recent_output or "", True


def _proof(row: BoardRow) -> str:
    status = row.session.status
    waits = status.state == "waiting_for_approval"
    request = f"requested {clock(status.since)} · " if waits and clock(status.since) else ""
    return request + EVIDENCE_LABELS[status.evidence]


def _why(row: BoardRow) -> str:
    spent = row.today
    parts = [f"{spent.tokens:,} tokens today", model_label(row.session.model)]
    parts += [f"no price for {', '.join(spent.unpriced)}"] if spent.unpriced else []
    return ", ".join(part for part in parts if part)
