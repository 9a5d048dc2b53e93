"""New lines -> blocks that say when they were written, which a search soon looks through."""

import apsw

from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.writing.pile import Pile

_BLOCK = 2048
_DAY = 86_400_000
_NEWEST = "SELECT first, last, oldest, newest FROM block ORDER BY first DESC LIMIT 1"
_PUT = "INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?)"


class Times:
    """The blocks of one transaction, and the one before."""

    def __init__(self, connection: apsw.Connection, pile: Pile) -> None:
        self._connection, self._pile = connection, pile
        self._last: Row | None = None
        self._changed: dict[int, Row] = {}

    def note(self, first: int, times: list[int]) -> None:
        """Remember when a run of lines was written; `first` is the number of the first."""
        for start in range(0, len(times), _BLOCK):
            part = times[start : start + _BLOCK]
            last = first + start + len(part) - 1
            self._note((first + start, last, min(part), max(part)))

    def _note(self, block: Row) -> None:
        """Lines that came just before and are of the same time make one block with these."""
        before = self._last or self._connection.execute(_NEWEST).fetchone()
        self._last = block = block if before is None else _joined(before, block) or block
        self._changed[block[0]] = block

    def write(self) -> None:
        """Pile up what is new."""
        self._pile.extend(_PUT, self._changed.values())
        self._changed.clear()

    def forget(self) -> None:
        """After a rollback."""
        self._last = None
        self._changed.clear()


def _joined(before: Row, block: Row) -> Row | None:
    (began, _, older, newer), (_, last, oldest, newest) = before, block
    first_at, last_at = min(oldest, older), max(newest, newer)
    is_same = last_at - first_at <= max(newest - oldest, newer - older) + _DAY
    return (began, last, first_at, last_at) if is_same and last - began < _BLOCK else None
