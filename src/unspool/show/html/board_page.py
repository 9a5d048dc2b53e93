"""The live board: one row a session, which keeps its place; what waits for you, and today."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import ClassVar, Final

from msgspec import Struct, field

from unspool.model.document import StatusName
from unspool.model.health import IndexStatus
from unspool.model.insights import ActivityStrip
from unspool.model.session import Board, BoardRow
from unspool.show import safe
from unspool.show.board_view import SlotOrder, board_alerts, context_share, row_key
from unspool.show.charts.lanes import LaneCache, Lanes, LaneSession, lanes
from unspool.show.charts.spool import Spool, SpoolCache
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
from unspool.show.html.quiet_day import QuietDay
from unspool.show.html.shell import Shell
from unspool.show.labels import is_at_most, model_label, stop_label
from unspool.show.numbers import format_bytes, format_count, format_usd
from unspool.show.times import clock, moment


class BoardItem(Struct, frozen=True, kw_only=True):
    """One session on the board; every text is one line."""

    id: str
    project_id: str
    session_id: str
    kind: str
    word: str
    age: str
    since: str | None
    title: str
    place: str
    branch: str
    tool: str
    what: str  # the call to approve, the call at work, or the last words
    copy: str  # the whole command or question; "" where nobody waits or it is not known
    where: str  # host, pane and process, where one runs
    last_words: str  # its last words, where `what` is something else
    goal: str  # where its title is something else
    agents: tuple[str, ...]  # at work, by what they were sent to do
    proof: str
    cost: str
    why: str
    percent: int | None
    context_tokens: str  # tokens in the context
    spool: Spool | None
    is_code: bool = False  # `what` is a command or a path, not a sentence
    is_open: bool = True  # not idle, not ended


class IndexProgress(Struct, frozen=True):
    """Indexing progress."""

    percent: int
    left: str
    is_written: bool  # whether anybody is at it


class BoardPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "board.html"
    shell: Shell
    at: int
    clock: str  # the same, to be read
    waiting: tuple[BoardItem, ...]  # longest first
    summary: str
    slots: tuple[BoardItem, ...]
    alerts: tuple[str, ...]
    day: Lanes | None = None
    progress: IndexProgress | None = None
    quiet: QuietDay | None = None  # in the place of rows, when none is open


WORDS: Final[dict[StatusName, str]] = {
    "waiting_for_approval": "Waiting for you",
    "failed": "Failed",
    "limited": "Usage limit",
    "working": "Working",
    "waiting_for_input": "Your turn",
    "idle": "Idle",
    "ended": "Done",
}
_AT_REST: Final = ("idle", "ended")
_ASKS: Final = {"AskUserQuestion": "Question", "ExitPlanMode": "Plan"}
_MUCH: Final = 1_000_000
_MOST_AT_REST: Final = 20


class BoardContext(Struct, frozen=True, kw_only=True):
    """Data from the index; strips are keyed by `project/session`."""

    strips: Mapping[str, ActivityStrip] = {}
    spools: SpoolCache = field(default_factory=SpoolCache)
    lanes: LaneCache = field(default_factory=LaneCache)
    order: SlotOrder = field(default_factory=SlotOrder)
    midnight: int | None = None
    index: IndexStatus | None = None
    host: str = ""
    zone: tzinfo | None = None


def is_open(row: BoardRow) -> bool:
    """Whether something may still come of it without a new prompt or a resume."""
    return row.session.status.state not in _AT_REST


def board_page(
    board: Board,
    shell: Shell,
    context: BoardContext | None = None,
    quiet: QuietDay | None = None,
) -> BoardPage:
    """A session without a strip has no spool yet."""
    context = context or BoardContext()
    rows = _slots(context.order.sorted(board.rows))
    waiting = sorted(
        (row for row in rows if row.session.status.state == "waiting_for_approval"),
        key=lambda row: row.session.status.since or "",
    )
    items = {row_key(row): _item(row, board.at, context) for row in rows}
    return BoardPage(
        shell=shell,
        at=board.at,
        clock=f"{datetime.fromtimestamp(board.at / 1_000, UTC).astimezone(context.zone):%H:%M:%S}",
        waiting=tuple(items[row_key(row)] for row in waiting),
        summary=_summary(rows),
        slots=tuple(items.values()),
        alerts=tuple(safe.brief(alert.message) for alert in board_alerts(board)[-5:]),
        day=_day(rows, board.at, context),
        progress=_progress(context.index),
        quiet=quiet,
    )


def _slots(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Open sessions in their order; below them those at rest, no more than can be looked over."""
    at_rest = [row for row in rows if not is_open(row)]
    latest = sorted(at_rest, key=lambda row: row.session.status.since or "")[-_MOST_AT_REST:]
    shown = {row_key(row) for row in latest}
    return [
        *(row for row in rows if is_open(row)),
        *(row for row in at_rest if row_key(row) in shown),
    ]


def _today(row: BoardRow) -> str:
    return format_usd(row.today.cost_usd, at_most=is_at_most(row.metrics))


def _day(rows: Iterable[BoardRow], now: int, context: BoardContext) -> Lanes | None:
    if context.midnight is None:
        return None
    sessions = [
        LaneSession(
            row_id(row.session),
            session_title(row.session),
            project_label(row.session),
            row.session.project_id,
            row.session.id,
            _today(row),
            not is_open(row),
            context.strips.get(row_key(row), _NO_STRIP),
            _waits_since(row),
        )
        for row in rows
    ]
    return lanes(sessions, context.midnight, now, context.zone, context.lanes)


_NO_STRIP: Final = ActivityStrip()


def _waits_since(row: BoardRow) -> int | None:
    status = row.session.status
    at = moment(status.since) if status.state == "waiting_for_approval" else None
    return int(at.timestamp() * 1_000) if at else None


def _progress(index: IndexStatus | None) -> IndexProgress | None:
    """Shown only if enough is missing to matter."""
    if index is None or index.lag.bytes < _MUCH:
        return None
    done = index.archived_bytes
    percent = done * 100 // max(1, done + index.lag.bytes)
    return IndexProgress(percent, format_bytes(index.lag.bytes), index.writer is not None)


def _summary(rows: Sequence[BoardRow]) -> str:
    """Always the same words, so that they stand still."""
    states = [row.session.status.state for row in rows]
    stopped = states.count("failed") + states.count("limited")
    done = states.count("idle") + states.count("ended")
    working, turn = states.count("working"), states.count("waiting_for_input")
    return f"{working} working, {turn} your turn, {stopped} stopped, {done} done"


def _item(row: BoardRow, now: int, context: BoardContext) -> BoardItem:
    session, state = row.session, row.session.status.state
    tool, what, is_code = _what(row, now, context.zone)
    used = context_share(row)
    since = row.unknown_since or session.status.since
    return BoardItem(
        id=row_id(session),
        project_id=session.project_id,
        session_id=session.id,
        kind=STATUS_KINDS[state],
        word="Unknown" if row.unknown_since else WORDS[state],
        age=age_label(since, now),
        since=since,
        title=session_title(session),
        place=project_label(session),
        branch=branch_label(session),
        tool=safe.brief(tool, 60),
        what=safe.brief(what),
        copy=row.asks,
        where=_where(row, context.host),
        last_words="" if what == session.recent_output else safe.brief(session.recent_output or ""),
        goal="" if session.goal in ("", session.title) else safe.brief(session.goal),
        agents=tuple(safe.brief(agent, 100) for agent in row.agents),
        proof=_proof(row),
        cost=_today(row),
        why=_why(row),
        percent=None if used is None else round(used * 100),
        context_tokens=format_count(row.context_tokens) if row.context_tokens else "",
        spool=_spool(row, context),
        is_code=is_code,
        is_open=is_open(row),
    )


def _spool(row: BoardRow, context: BoardContext) -> Spool | None:
    state, key = row.session.status.state, row_key(row)
    strip = context.strips.get(key)
    label = f"{session_title(row.session)}: {WORDS[state].lower()}"
    return context.spools.draw(key, strip, "row", SPOOL_ENDS[state], label) if strip else None


def _what(row: BoardRow, now: int, zone: tzinfo | None) -> tuple[str, str, bool]:
    """The tool, its call, and whether that is code."""
    session = row.session
    if row.unknown_since:
        return "Unknown", f"since {clock(row.unknown_since)}: its machine is not connected", False
    if session.status.state == "waiting_for_approval":
        tool = session.pending_tool.name if session.pending_tool else ""
        what = row.waits_for or (session.pending_tool.summary if session.pending_tool else "")
        is_asked = tool in _ASKS or not tool
        return _ASKS.get(tool, _verb(tool)), what.removeprefix(f"{tool} "), not is_asked
    if why := stop_label(session.status, now, zone):
        return "Reason", why[:1].upper() + why[1:], False
    if row.running:
        tool, _, what = row.running[0].partition(" ")
        return _verb(tool), what, True
    if session.status.state == "working" and not row.agents:
        return "Thinking", session.recent_output or "", False
    return "Reply" if session.recent_output else "", session.recent_output or "", False


def _verb(tool: str) -> str:
    """The name of a tool, without the MCP server it is of."""
    return tool.rpartition("__")[2] if tool.startswith("mcp__") else tool


def _where(row: BoardRow, host: str) -> str:
    """Where to answer: only what the registry says, of a process that is alive on its machine."""
    one = row.process
    if one is None:
        return ""
    parts = (one.host or host, f"tmux {one.tmux}" if one.tmux else "", f"pid {one.pid}")
    return " · ".join(safe.brief(part, 60) for part in parts if part)


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
