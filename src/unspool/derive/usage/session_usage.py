"""Usage of a session's files -> sums and metrics: the one sum behind every figure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from unspool.derive.usage.prices import MOST_PICO, Pricer, usd
from unspool.derive.usage.responses import QUARTER, is_reported, is_used, merge_usage
from unspool.model.document import Metrics
from unspool.model.query import ModelUsage
from unspool.model.usage import UNKNOWN_AGENT, OwnedUsage, UsageRow

NAMELESS = "unknown"
UsageChange: TypeAlias = tuple[UsageRow, int]  # a response that came (1) or went (-1)


class UsageSum:
    """Adds up priced responses; a response that was added can be removed again."""

    def __init__(self) -> None:
        self._counts = [0] * 6
        self._pico = self._unfinished = 0
        self._unpriced: Counter[str] = Counter()

    def add(self, row: UsageRow, sign: int = 1) -> None:
        """Add a response, or with -1 remove it."""
        counts = self._counts
        for n in range(6):
            counts[n] += sign * row.tokens[n]  # type: ignore[operator]
        self._unfinished += sign * (not row.is_finished)
        if row.usd_pico is None:
            self._unpriced[row.model or NAMELESS] += sign
        else:
            self._pico += sign * row.usd_pico

    def add_model(self, used: ModelUsage) -> None:
        """Add what a store has summed of one model."""
        counts = (
            used.input_tokens,
            used.output_tokens,
            used.cache_read_tokens,
            used.cache_creation_tokens,
            used.cache_creation_5m,
            used.cache_creation_1h,
        )
        self._counts = [a + b for a, b in zip(self._counts, counts, strict=True)]
        self._pico += used.usd_pico
        self._unfinished += used.lower_bound
        self._unpriced[used.model or NAMELESS] += used.unpriced

    def merge(self, other: "UsageSum") -> None:
        """Add another sum."""
        self._counts = [a + b for a, b in zip(self._counts, other._counts, strict=True)]
        self._pico += other._pico
        self._unfinished += other._unfinished
        self._unpriced.update(other._unpriced)

    @classmethod
    def of(cls, sums: Iterable["UsageSum"]) -> "UsageSum":
        """All of them together."""
        whole = cls()
        for one in sums:
            whole.merge(one)
        return whole

    @property
    def pico(self) -> int:
        """The cost of what has a price."""
        return self._pico

    @property
    def is_least(self) -> bool:
        """Whether it cost more than that: some of it is unfinished, or has no price."""
        return self._unfinished > 0 or bool(+self._unpriced)

    def metrics(self, *, message_count: int = 0, duration_ms: int = 0) -> Metrics:
        """The sum; its cost is that of priced responses, None if there are only unpriced ones."""
        input, output, read, write, short, long = self._counts
        unpriced = tuple(sorted(+self._unpriced))
        return Metrics(
            input_tokens=input,
            output_tokens=output,
            cache_read_tokens=read,
            cache_creation_tokens=write,
            ephemeral5m_tokens=short,
            ephemeral1h_tokens=long,
            total_tokens=input + output + read + write,
            message_count=message_count,
            # Nothing beside something unpriced would read as "free".
            cost_usd=None if unpriced and not self._pico else usd(self._pico),
            unpriced=unpriced,
            lower_bound=self._unfinished > 0,
            duration_ms=duration_ms,
        )


class UsageByLine:
    """The responses of one transcript by the line they begin on."""

    def __init__(self) -> None:
        self._changes: list[UsageChange] = []
        self._rows: dict[int, dict[str, UsageRow]] = {}

    def count(self, row: UsageRow, sign: int) -> None:
        """Add a response, or take it out."""
        line = row.line_id
        rows = self._rows.setdefault(line, {})
        if sign > 0:
            rows[row.message_key] = row
        else:
            del rows[row.message_key]
        self._changes.append((row, sign))

    def drain(self) -> list[UsageChange]:
        """The responses that came or went since it was last asked, in order."""
        changes, self._changes = self._changes, []
        return changes

    def rows(self) -> Iterable[UsageRow]:
        """All responses."""
        return (row for rows in self._rows.values() for row in rows.values())

    def at(self, line: int) -> Iterable[UsageRow]:
        """The responses that begin on a line."""
        return self._rows.get(line, {}).values()


class SessionUsage:
    """A running sum: fed the responses of every file of a session, in any order of files."""

    def __init__(self, pricer: Pricer, *, by_line: bool = True) -> None:
        self._price = pricer.price_of
        self._is_by_line = by_line
        self._rows: dict[str, UsageRow] = {}
        self.foreign: set[str] = set()  # keys of responses that other sessions own
        self.repeated = UsageSum()  # what those used
        self.reported = 0  # responses that count, and that only progress lines have
        self.unknown_agents = 0  # that ran, and nothing tells what they used
        self.capped = 0  # responses that count as the most that one can cost
        self._earlier: list[UsageRow] = []
        self._total = UsageSum()
        self._quarters: dict[int, UsageSum] = {}
        self._agents: dict[str, UsageSum] = {}
        self._lines: dict[str, UsageByLine] = {}

    def put_all(self, rows: Iterable[UsageRow]) -> None:
        """Take in what lines say of some responses."""
        for row in rows:
            self.put(row)

    def put(self, row: UsageRow) -> None:
        """Add the usage of a line."""
        key = row.message_key
        known = self._rows.get(key)
        new = row if known is None else _merge(known, row)
        if known is not None and new == known._replace(usd_pico=None):
            return
        new = new._replace(usd_pico=self._price(new))
        count = self.repeated.add if key in self.foreign else self._count_line
        if known is not None:
            count(known, -1)
        count(new)
        self._rows[key] = new

    def correct(self, foreign: Iterable[str], earlier: Iterable[UsageRow] = ()) -> None:
        """Count only what the session owns.

        `foreign` responses belong to other sessions; `earlier` is what only an earlier version
        of a file says, and counts: whole responses, or more of those that are still there.
        """
        now = {key for key in self._rows.keys() & set(foreign) if is_used(self._rows[key])}
        for key in now ^ self.foreign:
            sign = -1 if key in now else 1
            self._count_line(self._rows[key], sign)
            self.repeated.add(self._rows[key], -sign)
        self.foreign = now
        for row in self._earlier:
            self._count(row, -1)
        gone = [row for row in earlier if not self._amend(row)]
        self._earlier = [row._replace(usd_pico=self._price(row)) for row in gone]
        for row in self._earlier:
            self._count(row)

    def _amend(self, row: UsageRow) -> bool:
        """Add what was said of a response that is still there, where it stands now."""
        own = self._rows.get(row.message_key)
        if own is not None:
            self.put(row._replace(claim=own.claim, agent_id=own.agent_id, line_id=own.line_id))
        return own is not None

    @property
    def earlier(self) -> int:
        """How many responses count that only an earlier version of a file has."""
        return len(self._earlier)

    def settle(self, keys: Iterable[str]) -> None:
        """Forget some responses, which stay in the sums."""
        for key in keys:
            self._rows.pop(key, None)

    def _count_line(self, row: UsageRow, sign: int = 1) -> None:
        self._count(row, sign)
        if self._is_by_line and row.line_id:
            self.lines_of(row.agent_id).count(row, sign)

    def _count(self, row: UsageRow, sign: int = 1) -> None:
        if not is_used(row):
            return
        self._total.add(row, sign)
        self.reported += sign * is_reported(row)
        self.unknown_agents += sign * (row.model == UNKNOWN_AGENT)
        self.capped += sign * (row.usd_pico == MOST_PICO)
        self._agents.setdefault(row.agent_id, UsageSum()).add(row, sign)
        quarter = (row.timestamp or 0) // QUARTER
        self._quarters.setdefault(quarter, UsageSum()).add(row, sign)

    def owned(self) -> Iterator[UsageRow]:
        """Every response that counts for the session, priced, wherever it was read."""
        rows = (row for key, row in self._rows.items() if key not in self.foreign)
        return (row for row in (*rows, *self._earlier) if is_used(row))

    @property
    def agents(self) -> Mapping[str, UsageSum]:
        """What each agent used; the main conversation is ""."""
        return self._agents

    def lines_of(self, agent: str) -> UsageByLine:
        """What one transcript used, by line."""
        return self._lines.setdefault(agent, UsageByLine())

    @property
    def total(self) -> Metrics:
        return self._total.metrics()

    def since(self, moment: int) -> Metrics:
        """Usage from a moment on, which must begin a quarter of an hour, as every midnight does."""
        total = UsageSum()
        for quarter, used in self._quarters.items():
            if quarter * QUARTER >= moment:
                total.merge(used)
        return total.metrics()


def _merge(one: UsageRow, other: UsageRow) -> UsageRow:
    return merge_usage(OwnedUsage("", "", one), OwnedUsage("", "", other)).row
