"""The live board -> its page: what waits for you first, then who is at work, then the rest."""

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.board import Board, BoardRow
from unspool.model.document import StatusName
from unspool.show import safe
from unspool.show.board import View, alerts, arranged, grouped, key, share
from unspool.show.charts.spool import Size, Spool, spool
from unspool.show.charts.tape import Tape
from unspool.show.money import format_usd, plural
from unspool.show.names import model
from unspool.show.times import clock
from unspool.show.views.shell import Shell
from unspool.show.views.signs import ENDS, EVIDENCE, KINDS, age, branch, named, place


class Item(Struct, frozen=True, kw_only=True):
    """One session on the board."""

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
    more: str
    proof: str
    cost: str
    why: str
    percent: int | None
    spool: Spool | None
    words: bool = False  # `what` is a sentence, not a command
    alerts: tuple[str, ...] = ()


class Group(Struct, frozen=True):
    name: str
    rows: tuple[Item, ...]


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


def board_page(board: Board, shell: Shell, tapes: Mapping[str, Tape] | None = None) -> BoardPage:
    """`tapes` are by `project/session`; a session without one has no spool yet."""
    groups = grouped(arranged(board, View()))
    waiting = groups.pop("waiting_for_approval", [])
    tapes = tapes or {}
    made = {
        state: Group(_NAMES[state], _items(rows, board.at, tapes)) for state, rows in groups.items()
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
    )


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
        more=plural(len(row.agents), "agent") if row.agents else "",
        proof=_proof(row),
        cost=format_usd(row.today.cost_usd),
        why=_why(row),
        percent=None if used is None else round(used * 100),
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
    return "", session.recent_output, True


def _proof(row: BoardRow) -> str:
    status = row.session.status
    asked = f"asked {clock(status.since)} · " if clock(status.since) else ""
    proof = EVIDENCE[status.evidence]
    return asked + (proof if status.evidence == "inferred" else f"proven by {proof}")


def _why(row: BoardRow) -> str:
    spent = row.today
    told = [f"{spent.tokens:,} tokens today", model(row.session.model)]
    told += [f"no price known for {', '.join(spent.unpriced)}"] if spent.unpriced else []
    return ", ".join(part for part in told if part)
