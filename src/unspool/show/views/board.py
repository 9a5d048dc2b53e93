"""The live board -> its page: what waits for you first, then who is at work, then the rest."""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.document import StatusName
from unspool.model.health import IndexStatus
from unspool.model.insights import ActivityStrip
from unspool.model.session import Board, BoardRow
from unspool.show import safe
from unspool.show.board import View, alerts, arranged, grouped, key, share
from unspool.show.charts.lanes import Lanes, Worked, lanes
from unspool.show.charts.spool import Size, Spool, spool
from unspool.show.charts.tape import Tape, of_strip
from unspool.show.money import format_count, format_usd
from unspool.show.names import model
from unspool.show.status import size
from unspool.show.times import clock
from unspool.show.views.shell import Shell
from unspool.show.views.signs import (
    ENDS,
    EVIDENCE,
    KINDS,
    age,
    branch,
    named,
    place,
    row_id,
)


class Item(Struct, frozen=True, kw_only=True):
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
    said: str  # its last words, where `what` is something else
    goal: str  # where its title is something else
    agents: tuple[str, ...]  # at work, by what they were sent to do
    proof: str
    cost: str
    why: str
    percent: int | None
    held: str  # tokens in the context
    spool: Spool | None
    words: bool = False  # `what` is a sentence, not a command
    alerts: tuple[str, ...] = ()


class Group(Struct, frozen=True):
    id: str
    name: str
    rows: tuple[Item, ...]


class Progress(Struct, frozen=True):
    """How far the index is."""

    percent: int
    left: str
    is_written: bool  # whether anybody is at it


class BoardPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "board.html"
    shell: Shell
    headline: str
    say: str
    waiting: tuple[Item, ...]
    groups: tuple[Group, ...]
    folds: tuple[Group, ...]
    alerts: tuple[str, ...]
    is_empty: bool
    day: Lanes | None = None
    progress: Progress | None = None


_NAMES: Final[dict[StatusName, str]] = {
    "working": "At work",
    "waiting_for_input": "Your turn",
    "idle": "Idle",
    "ended": "Ended today",
}
_TELLING: Final[dict[StatusName, str]] = {
    "working": "at work",
    "waiting_for_input": "waiting for a prompt",
    "idle": "idle",
}
_ASKS: Final = {"AskUserQuestion": "Question", "ExitPlanMode": "Plan"}
_FOLDED: Final = ("idle", "ended")
_MUCH: Final = 1_000_000


class Beside(Struct, frozen=True, kw_only=True):
    """What the index adds to a board; strips are by `project/session`."""

    strips: Mapping[str, ActivityStrip] = {}
    midnight: int | None = None
    index: IndexStatus | None = None
    zone: tzinfo | None = None


def board_page(board: Board, shell: Shell, beside: Beside | None = None) -> BoardPage:
    """A session without a strip has no spool yet."""
    beside = beside or Beside()
    groups = grouped(arranged(board, View()))
    waiting = groups.pop("waiting_for_approval", [])
    tapes = {name: of_strip(strip) for name, strip in beside.strips.items()}
    made = {
        state: Group(f"group-{state}", _NAMES[state], _items(rows, board.at, tapes))
        for state, rows in groups.items()
    }
    return BoardPage(
        shell=shell,
        headline=_headline(len(waiting), bool(board.rows)),
        say=_say({state: len(rows) for state, rows in groups.items()}),
        waiting=_items(waiting, board.at, tapes, "card"),
        groups=tuple(group for state, group in made.items() if state not in _FOLDED),
        folds=tuple(group for state, group in made.items() if state in _FOLDED),
        alerts=tuple(safe.brief(alert.message) for alert in alerts(board)[-5:]),
        is_empty=not board.rows,
        day=_day(board, beside),
        progress=_progress(beside.index),
    )


def _day(board: Board, beside: Beside) -> Lanes | None:
    if beside.midnight is None:
        return None
    worked = [
        Worked(
            named(row.session),
            place(row.session),
            row.session.project_id,
            row.session.id,
            format_usd(row.today.cost_usd),
            beside.strips[key(row)],
        )
        for row in board.rows
        if key(row) in beside.strips
    ]
    return lanes(worked, beside.midnight, board.at, beside.zone)


def _progress(index: IndexStatus | None) -> Progress | None:
    """Only where so much is left that what is shown lacks something."""
    if index is None or index.lag.bytes < _MUCH:
        return None
    done = index.archived_bytes
    percent = done * 100 // max(1, done + index.lag.bytes)
    return Progress(percent, size(index.lag.bytes), index.writer is not None)


def _headline(waiting: int, any_rows: bool) -> str:
    if not any_rows:
        return "No sessions today"
    if not waiting:
        return "Nothing waits for you"
    return "1 waits for you" if waiting == 1 else f"{waiting} wait for you"


def _say(counts: Mapping[StatusName, int]) -> str:
    told = [f"{counts[state]} {word}" for state, word in _TELLING.items() if state in counts]
    return ", ".join(told) + "." if told else ""


def _items(
    rows: Iterable[BoardRow], now: int, tapes: Mapping[str, Tape], size: Size = "row"
) -> tuple[Item, ...]:
    return tuple(_item(row, now, tapes.get(key(row)), size) for row in rows)


def _item(row: BoardRow, now: int, tape: Tape | None, size: Size) -> Item:
    session, state = row.session, row.session.status.state
    tool, what, words = _what(row)
    used = share(row)
    return Item(
        id=row_id(session),
        project_id=session.project_id,
        session_id=session.id,
        kind=KINDS[state],
        age=age(session.status.since, now),
        since=session.status.since,
        title=named(session),
        place=place(session),
        branch=branch(session),
        tool=safe.brief(tool, 60),
        what=safe.brief(what),
        said="" if what == session.recent_output else safe.brief(session.recent_output or ""),
        goal="" if session.goal in ("", session.title) else safe.brief(session.goal),
        agents=tuple(safe.brief(agent, 100) for agent in row.agents),
        proof=_proof(row),
        cost=format_usd(row.today.cost_usd),
        why=_why(row),
        percent=None if used is None else round(used * 100),
        held=format_count(row.context_tokens) if row.context_tokens else "",
        spool=_spool(row, tape, size),
        words=words,
        alerts=tuple(safe.brief(alert.message) for alert in row.alerts[-2:]),
    )


def _spool(row: BoardRow, tape: Tape | None, size: Size) -> Spool | None:
    state = row.session.status.state
    label = f"{named(row.session)}: {state.replace('_', ' ')}"
    return spool(tape, size, ENDS[state], label) if tape else None


def _what(row: BoardRow) -> tuple[str, str, bool]:
    """The tool, what it is asked to do, and whether that is a sentence."""
    session = row.session
    if session.status.state == "waiting_for_approval":
        tool = session.pending_tool.name if session.pending_tool else ""
        what = row.waits_for or (session.pending_tool.summary if session.pending_tool else "")
        is_asked = tool in _ASKS or not tool
        return _ASKS.get(tool, tool), what.removeprefix(f"{tool} "), is_asked
    if row.running:
        tool, _, what = row.running[0].partition(" ")
        return tool, what, False
    return "", session.recent_output or "", True


def _proof(row: BoardRow) -> str:
    status = row.session.status
    waits = status.state == "waiting_for_approval"
    asked = f"asked {clock(status.since)} · " if waits and clock(status.since) else ""
    proof = EVIDENCE[status.evidence]
    return asked + (proof if status.evidence == "inferred" else f"proven by {proof}")


def _why(row: BoardRow) -> str:
    spent = row.today
    told = [f"{spent.tokens:,} tokens today", model(row.session.model)]
    told += [f"no price known for {', '.join(spent.unpriced)}"] if spent.unpriced else []
    return ", ".join(part for part in told if part)
