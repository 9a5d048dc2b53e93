"""Usage of all files of one session -> what it used, by agent, by line and since a moment."""

from collections.abc import Iterable

from unspool.derive.usage.lines import FileUsage
from unspool.derive.usage.metrics import UsageSum
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import QUARTER, merged, settled
from unspool.model.document import Metrics
from unspool.model.usage import OwnedUsage, UsageRow


class SessionUsage:
    """A running sum: fed the lines of every file of a session, in any order of files."""

    def __init__(self, pricer: Pricer) -> None:
        self._price = pricer.price_of
        self._rows: dict[str, UsageRow] = {}
        self._foreign: set[str] = set()
        self._earlier: list[UsageRow] = []
        self._total = UsageSum()
        self._quarters: dict[int, UsageSum] = {}

    def put(self, row: UsageRow) -> None:
        """Take in what a line says."""
        key = row.message_key
        known = self._rows.get(key)
        new = row if known is None else _merged(known, row)
        if known is not None and new == known._replace(usd_pico=None):
            return
        new = new._replace(usd_pico=self._price(new))
        if key not in self._foreign:
            if known is not None:
                self._count(known, -1)
            self._count(new)
        self._rows[key] = new

    def correct(self, foreign: Iterable[str], earlier: Iterable[UsageRow] = ()) -> None:
        """Count only what the session owns: not what other sessions do, but also what only an
        earlier version of a file told.
        """
        now = self._rows.keys() & set(foreign)
        for key in now - self._foreign:
            self._count(self._rows[key], -1)
        for key in self._foreign - now:
            self._count(self._rows[key])
        self._foreign = now
        for row in self._earlier:
            self._count(row, -1)
        self._earlier = [row._replace(usd_pico=self._price(row)) for row in earlier]
        for row in self._earlier:
            self._count(row)

    def _count(self, row: UsageRow, sign: int = 1) -> None:
        self._total.add(row, sign)
        quarter = (row.timestamp or 0) // QUARTER
        self._quarters.setdefault(quarter, UsageSum()).add(row, sign)

    @property
    def total(self) -> Metrics:
        """All it used."""
        return self._total.metrics()

    def since(self, moment: int) -> Metrics:
        """What it used from a moment on; the moment begins a quarter, as every midnight does."""
        found = UsageSum()
        for quarter, used in self._quarters.items():
            if quarter * QUARTER >= moment:
                found.merge(used)
        return found.metrics()


def credited(files: Iterable[FileUsage]) -> list[UsageRow]:
    """The responses of all files of a session, each once, with the agent that owns it."""
    rows = (OwnedUsage("", "", row) for file in files for row in file.rows.values())
    return sorted((owned.row for owned in settled(rows).values()), key=lambda row: row.line_id)


def _merged(one: UsageRow, other: UsageRow) -> UsageRow:
    return merged(OwnedUsage("", "", one), OwnedUsage("", "", other)).row
