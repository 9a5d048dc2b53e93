"""The live board: filter, order and grouping of its rows."""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from unspool.model.alerts import Alert
from unspool.model.document import StatusName
from unspool.model.session import Board, BoardRow

Sort: TypeAlias = Literal["status", "activity", "cost", "context"]

SORTS: Final[tuple[Sort, ...]] = get_args(Sort)
# What waits for you comes first.
ORDER: Final[tuple[StatusName, ...]] = (
    "waiting_for_approval",
    "failed",
    "limited",
    "working",
    "waiting_for_input",
    "idle",
    "ended",
)


class BoardView(Struct, frozen=True, kw_only=True):
    """Sort order, filter and selection of a board."""

    sort: Sort = "status"
    needle: str = ""
    selected: str = ""  # a session's key; '' is the first row
    typing: bool = False
    help: bool = False


def row_key(row: BoardRow) -> str:
    """The unique key of a row: two projects may have the same session id."""
    return f"{row.session.project_id}/{row.session.id}"


class SlotOrder:
    """The order in which sessions were first seen, so that a page shows them in the same places."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: dict[str, int] = {}
        self._count = 0

    def sorted(self, rows: Iterable[BoardRow]) -> list[BoardRow]:
        """Rows in that order; of those seen for the first time, who began first comes first."""
        by_key = {row_key(row): row for row in rows}
        with self._lock:
            new = (key for key in by_key if key not in self._seen)
            for key in sorted(new, key=lambda key: (by_key[key].session.start_time or "~", key)):
                self._seen[key] = self._count
                self._count += 1
            # One that left the board and comes back is a new one.
            self._seen = {key: place for key, place in self._seen.items() if key in by_key}
            return sorted(by_key.values(), key=lambda row: self._seen[row_key(row)])


def sort_rows(board: Board, view: BoardView) -> list[BoardRow]:
    """Rows that match the filter, sorted; ties by last activity."""
    words = view.needle.lower().split()
    rows = [row for row in board.rows if not words or _fits(row, words)]
    return sorted(sorted(rows, key=_activity, reverse=True), key=_RANKS[view.sort])


def group_by_status(rows: Sequence[BoardRow]) -> dict[StatusName, list[BoardRow]]:
    """Rows by status, in the order of the board; no empty groups."""
    groups = {state: [row for row in rows if row.session.status.state == state] for state in ORDER}
    return {state: group for state, group in groups.items() if group}


def selected_index(rows: Sequence[BoardRow], view: BoardView) -> int:
    """The index of the selected row; 0 if it is gone."""
    return next((n for n, row in enumerate(rows) if row_key(row) == view.selected), 0)


def board_alerts(board: Board) -> list[Alert]:
    """All alerts of the day and of each session, newest last."""
    of_sessions = (alert for row in board.rows for alert in row.alerts)
    by_key = {alert.key: alert for alert in (*board.alerts, *of_sessions)}
    return sorted(by_key.values(), key=lambda alert: alert.at or 0)


def context_share(row: BoardRow) -> float | None:
    """How much of the context is used, from 0 to 1; None if the limit is unknown."""
    return min(row.context_tokens / row.context_limit, 1.0) if row.context_limit else None


def _fits(row: BoardRow, words: Sequence[str]) -> bool:
    one = row.session
    names = (
        one.id,
        one.project_id,
        one.project_name,
        one.project_label,
        one.git_branch,
        one.title,
        one.goal,
    )
    state = one.status.state.replace("_", " ")
    every = (*names, one.model, state, row.waits_for, *row.running)
    where = "\n".join(text or "" for text in every).lower()
    return all(word in where for word in words)


def _activity(row: BoardRow) -> tuple[str, str]:
    one = row.session
    return one.end_time or one.status.since or one.start_time or "", row_key(row)


def _urgency(row: BoardRow) -> tuple[int, str]:
    status = row.session.status
    # Who has waited longest is most in need.
    waits = status.since or "" if status.state == "waiting_for_approval" else ""
    return ORDER.index(status.state), waits


_RANKS: Final[dict[Sort, Callable[[BoardRow], tuple[object, ...]]]] = {
    "status": _urgency,
    "activity": lambda _: (),
    "cost": lambda row: (-(row.today.cost_usd or 0.0), -row.today.tokens),
    "context": lambda row: (-(context_share(row) or 0.0), -row.context_tokens),
}
