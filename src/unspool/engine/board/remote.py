"""The board of a server whose sessions are of other machines: they say what their sessions do."""

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Final, TypeAlias

from msgspec import structs

from unspool.derive.reading.clock import millis
from unspool.derive.usage.reports import sum_spend
from unspool.engine.dates import start_of_today
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.engine.sessions.marks import apply_marks
from unspool.model.query import TotalsQuery
from unspool.model.session import Board, BoardRow, BoardSpend

# What machines last said of their sessions, with the ids these have here.
BoardRows: TypeAlias = Callable[[], Sequence[BoardRow]]

_FRESH_SECONDS: Final = 2.0  # of what was spent today


class RemoteBoard:
    """Nothing is watched: `rows` are asked for with every board, and to see what changed."""

    def __init__(self, source: IndexedRoots, rows: BoardRows) -> None:
        self._source, self._ask = source, rows
        self._lock = Lock()
        self._rows: Sequence[BoardRow] = ()
        self._changed_at = -1e9
        self._today: tuple[float, BoardSpend] | None = None

    def current(self) -> Board:
        """The board now, newest activity first."""
        source = self._source
        rows = sorted(self._look(), key=_place)
        board = Board(at=source.now(), rows=tuple(rows), today=self._spent())
        return apply_marks(board, source.store.marks.all(), source.groups.current())

    @property
    def changed_at(self) -> float:
        """When other rows than before were last seen, in monotonic seconds."""
        self._look()
        return self._changed_at

    def _look(self) -> Sequence[BoardRow]:
        rows = self._ask()
        with self._lock:
            if rows != self._rows:
                self._rows, self._changed_at = rows, monotonic()
        return rows

    def _spent(self) -> BoardSpend:
        """Today's spend, by the sums of the index."""
        if self._today is None or monotonic() - self._today[0] > _FRESH_SECONDS:
            since = start_of_today(self._source.now())
            query = TotalsQuery(by="model", since=since)
            totals = [structs.astuple(total) for total in self._source.store.totals(query)]
            spend = sum_spend(total[5:] for total in totals)
            models = tuple(sorted({str(total[4]) for total in totals if total[11]}))
            self._today = (
                monotonic(),
                BoardSpend(tokens=spend.tokens, cost_usd=spend.usd, unpriced=models),
            )
        return self._today[1]

    def restart(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


def _place(row: BoardRow) -> tuple[int, str, str]:
    status = row.session.status
    at = max(millis(status.since) or 0, millis(row.session.end_time) or 0)
    return -at, row.session.id, row.session.project_id
