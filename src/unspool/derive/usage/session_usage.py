"""Usage of all files of one session -> what it used, by agent, by line and since a moment."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping

from unspool.derive.usage.metrics import UsageSum
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import QUARTER, merged
from unspool.model.document import Metrics
from unspool.model.usage import OwnedUsage, UsageRow


class LineUsage:
    """The responses of one transcript by the line they begin on."""

    def __init__(self) -> None:
        self.lines: list[int] = []  # in order; some may have no response any more
        self.changed: set[int] = set()  # lines whose responses are others than before
        self._rows: dict[int, dict[str, UsageRow]] = {}

    def count(self, row: UsageRow, sign: int) -> None:
        """Add a response, or take it out."""
        line = row.line_id
        if line not in self._rows:
            self._rows[line] = {}
            insort(self.lines, line)
        if sign > 0:
            self._rows[line][row.message_key] = row
        else:
            del self._rows[line][row.message_key]
        self.changed.add(line)

    def at(self, line: int) -> Iterable[UsageRow]:
        """The responses that begin on a line."""
        return self._rows.get(line, {}).values()

    def within(self, lines: range) -> Iterable[UsageRow]:
        """Those that begin on some lines in a row."""
        first, end = bisect_left(self.lines, lines.start), bisect_left(self.lines, lines.stop)
        return (row for line in self.lines[first:end] for row in self.at(line))


class SessionUsage:
    """A running sum: fed the responses of every file of a session, in any order of files."""

    def __init__(self, pricer: Pricer) -> None:
        self._price = pricer.price_of
        self._rows: dict[str, UsageRow] = {}
        self._foreign: set[str] = set()
        self._earlier: list[UsageRow] = []
        self._total = UsageSum()
        self._quarters: dict[int, UsageSum] = {}
        self._agents: dict[str, UsageSum] = {}
        self._lines: dict[str, LineUsage] = {}

    def put_all(self, rows: Iterable[UsageRow]) -> None:
        """Take in what lines say of some responses."""
        for row in rows:
            self.put(row)

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
                self._count_line(known, -1)
            self._count_line(new)
        self._rows[key] = new

    def correct(self, foreign: Iterable[str], earlier: Iterable[UsageRow] = ()) -> None:
        """Count only what the session owns: not what other sessions do, but also what only an
        earlier version of a file told.
        """
        now = self._rows.keys() & set(foreign)
        for key in now - self._foreign:
            self._count_line(self._rows[key], -1)
        for key in self._foreign - now:
            self._count_line(self._rows[key])
        self._foreign = now
        for row in self._earlier:
            self._count(row, -1)
        self._earlier = [row._replace(usd_pico=self._price(row)) for row in earlier]
        for row in self._earlier:
            self._count(row)

    def _count_line(self, row: UsageRow, sign: int = 1) -> None:
        self._count(row, sign)
        self.lines_of(row.agent_id).count(row, sign)

    def _count(self, row: UsageRow, sign: int = 1) -> None:
        self._total.add(row, sign)
        self._agents.setdefault(row.agent_id, UsageSum()).add(row, sign)
        quarter = (row.timestamp or 0) // QUARTER
        self._quarters.setdefault(quarter, UsageSum()).add(row, sign)

    @property
    def agents(self) -> Mapping[str, UsageSum]:
        """What each agent used; the main conversation is ""."""
        return self._agents

    def lines_of(self, agent: str) -> LineUsage:
        """What one transcript used, by line."""
        return self._lines.setdefault(agent, LineUsage())

    @property
    def repeated(self) -> list[UsageRow]:
        """The responses in its files that other sessions own."""
        return [self._rows[key] for key in self._foreign]

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


def _merged(one: UsageRow, other: UsageRow) -> UsageRow:
    return merged(OwnedUsage("", "", one), OwnedUsage("", "", other)).row
