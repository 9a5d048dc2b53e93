"""Responses -> metrics: the one sum behind every figure."""

from collections import Counter
from collections.abc import Iterable

from unspool.derive.usage.prices import usd
from unspool.model.document import Metrics
from unspool.model.query import ModelUsage
from unspool.model.usage import UsageRow

NAMELESS = "unknown"


class UsageSum:
    """Adds priced responses up; what was added can be taken out again."""

    def __init__(self) -> None:
        self._counts = [0] * 6
        self._pico = self._unfinished = 0
        self._unpriced: Counter[str] = Counter()

    def add(self, row: UsageRow, sign: int = 1) -> None:
        """Count a response, or with -1 no longer."""
        counts = self._counts
        for n in range(6):
            counts[n] += sign * row.tokens[n]  # type: ignore[operator]
        self._unfinished += sign * (not row.is_finished)
        if row.usd_pico is None:
            self._unpriced[row.model or NAMELESS] += sign
        else:
            self._pico += sign * row.usd_pico

    def add_model(self, used: ModelUsage) -> None:
        """Count what a store has summed of one model."""
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
        """Count all that another sum has."""
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

    def metrics(self, *, message_count: int = 0, duration_ms: int = 0) -> Metrics:
        """The sum; its cost is of those that have a price, None where that says nothing."""
        sent, made, read, written, short, long = self._counts
        unpriced = tuple(sorted(+self._unpriced))
        return Metrics(
            input_tokens=sent,
            output_tokens=made,
            cache_read_tokens=read,
            cache_creation_tokens=written,
            ephemeral5m_tokens=short,
            ephemeral1h_tokens=long,
            total_tokens=sent + made + read + written,
            message_count=message_count,
            # Nothing beside something unpriced would read as "free".
            cost_usd=None if unpriced and not self._pico else usd(self._pico),
            unpriced=unpriced,
            lower_bound=self._unfinished > 0,
            duration_ms=duration_ms,
        )


def summed(rows: Iterable[UsageRow], *, message_count: int = 0, duration_ms: int = 0) -> Metrics:
    """Sum priced responses."""
    total = UsageSum()
    for row in rows:
        total.add(row)
    return total.metrics(message_count=message_count, duration_ms=duration_ms)
