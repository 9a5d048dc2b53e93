"""The last days and the running block of five hours: what stands in the header of every page."""

from datetime import date, timedelta
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import Struct, structs

from unspool.derive.usage import reports
from unspool.engine import dates
from unspool.engine.index_scope import IndexScope
from unspool.model.query import TotalsQuery
from unspool.model.usage import CostBlock, TotalRow
from unspool.serve.desks.around import Around

DAYS: Final = 14
# Every page asks, and a session at work changes the index many times a second.
_FRESH_SECONDS: Final = 2.0
_QUARTER: Final = 900_000
_PICO: Final = 10**12


class Pulse(Struct, frozen=True, kw_only=True):
    """Dollars of each of the last days, today last, and the block that runs."""

    days: tuple[float, ...] = (0.0,) * DAYS
    block: CostBlock | None = None

    @property
    def today(self) -> float:
        """Dollars since midnight."""
        return self.days[-1]


class Pulses:
    """Reads the sums of two weeks, at most every other second."""

    def __init__(self, around: Around, scope: IndexScope) -> None:
        self._around, self._scope = around, scope
        self._lock = Lock()
        self._known: tuple[float, int, Pulse] | None = None

    def pulse(self) -> Pulse:
        """How the money flows."""
        now = self._around.now()
        today = dates.day_numbers(None)(now)
        with self._lock:
            known = self._known
            if known is None or monotonic() - known[0] > _FRESH_SECONDS or known[1] != today:
                self._known = known = monotonic(), today, self._looked(now, today)
            return known[2]

    def _looked(self, now: int, today: int) -> Pulse:
        first = date.fromordinal(today + date(1970, 1, 1).toordinal()) - timedelta(days=DAYS - 1)
        since, scope = dates.midnight(first) - _QUARTER, self._scope.current()
        asked = TotalsQuery(by="quarter", since=since, scope=scope)
        totals: list[TotalRow] = [structs.astuple(one) for one in self._around.store.totals(asked)]
        spent = dict.fromkeys(range(today - DAYS + 1, today + 1), 0)
        day_of = dates.day_numbers(None)
        for total in totals:
            day = day_of(int(total[0]))
            if day in spent:
                spent[day] += int(total[10])
        running = (block for block in reports.blocks(totals, now) if block.is_active)
        return Pulse(days=tuple(p / _PICO for p in spent.values()), block=next(running, None))
