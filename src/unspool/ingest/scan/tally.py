"""Scans of many files -> one sum: an answer that several files tell counts once."""

from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import Final

from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import QUARTER, settled
from unspool.ingest.scan.files import Scan
from unspool.ingest.scan.lines import name_of
from unspool.ingest.scan.spent import Spent
from unspool.model.costs import Total
from unspool.model.rows import SourceRow
from unspool.model.usage import OwnedUsage, Price, UsageRow

_counts: Final = attrgetter("input", "output", "cache_read", "cache_write", "web_searches")


class Tally:
    """All that one process has scanned."""

    def __init__(self, pricer: Pricer) -> None:
        self._pricer = pricer
        self.price: Price = pricer.price_of
        self._scans: list[tuple[Scan, list[Total]]] = []
        self._seen: set[str] = set()
        self._shared: set[str] = set()

    def add(self, scan: Scan) -> None:
        """Take in one file's; most tell of nothing that another does, so their sums will do."""
        self._scans.append((scan, self._spent(scan).sums(scan.answers.values())))
        told = scan.answers.keys()
        if not self._seen.isdisjoint(told):
            self._shared.update(id for id in told if id in self._seen)
        self._seen.update(told)
        # A line that was looked at closely may belong to any answer.
        close = {name_of(row.message_key) for row in scan.rows}
        self._seen |= close
        self._shared |= close

    def _spent(self, scan: Scan) -> Spent:
        return Spent(scan.source, self._pricer, scan.start)

    def names(self) -> list[int]:
        """Its answers, each a number that another process forked like this one has for it too."""
        return list(map(hash, self._seen))

    def sums(self, elsewhere: Collection[int] = ()) -> tuple[list[Total], list[OwnedUsage]]:
        """Sums of the answers only one file tells, and the rows of those that others tell too."""
        shared = self._shared | {id for id in self._seen if hash(id) in elsewhere}
        sums: list[Total] = []
        rows: list[OwnedUsage] = []
        for scan, added in self._scans:
            whole, close = added, scan.rows
            if not shared.isdisjoint(scan.answers):
                whole, told = self._apart(scan, shared)
                close = close + told
            sums += whole
            owner = scan.source.project_id, scan.source.session_id
            rows += [OwnedUsage(*owner, row) for row in close]
        return sums, rows

    def _apart(self, scan: Scan, shared: set[str]) -> tuple[list[Total], list[UsageRow]]:
        answers = scan.answers.items()
        spent = self._spent(scan)
        rows = [spent.row(id, answer) for id, answer in answers if id in shared]
        return spent.sums([answer for id, answer in answers if id not in shared]), rows

    def drain(self) -> Iterator[tuple[SourceRow, list[UsageRow]]]:
        """Every file with its rows, as a store takes them; each is forgotten when it is given."""
        while self._scans:
            scan, _ = self._scans.pop()
            row = self._spent(scan).row
            yield (
                scan.source,
                scan.rows + [row(id, answer) for id, answer in scan.answers.items()],
            )


def settled_sums(rows: Iterable[OwnedUsage], price: Price) -> list[Total]:
    """Sums of rows of which several may tell of one answer."""
    groups: dict[tuple[int, str, str, str, str], list[UsageRow]] = {}
    for project, session, row in settled(rows).values():
        quarter = (row.timestamp or 0) // QUARTER * QUARTER
        name = quarter, project, session, row.agent_id, row.model
        groups.setdefault(name, []).append(row)
    return [(*name, *_sum(group, price)) for name, group in groups.items()]


def _sum(rows: list[UsageRow], price: Price) -> Total:
    prices = [price(row) for row in rows]
    times = [row.timestamp or 0 for row in rows]
    return (
        *map(sum, zip(*(_counts(row.tokens) for row in rows), strict=True)),
        sum(pico for pico in prices if pico is not None),
        prices.count(None),
        sum(not row.is_finished for row in rows),
        len(rows),
        min(times),
        max(times),
    )
