"""Our cost and ccusage's of the same lines -> where they differ, and by which of its rules."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from unspool.derive.usage.ccusage import (
    CcusageEntries,
    CcusageEntry,
    ccusage_price,
    is_regional,
    is_unpriced,
)
from unspool.derive.usage.explain import ExplainedResponse
from unspool.derive.usage.prices import PICO, Pricer, find_prices, row_at
from unspool.model.api import Difference
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.usage import WEB_SEARCH, Tokens, UsageRow

_FREE_SEARCHES = "web searches cost nothing"
Counts: TypeAlias = tuple[int, int, int, int]  # input, output, cache write, cache read


class CcusageLine(Struct, frozen=True):
    """A line as ccusage reads it, or why it skips it; and the key of the response by our rules."""

    key: str | None
    entry: CcusageEntry | str


class CostGap(Struct, frozen=True):
    """The difference of one response: theirs minus ours."""

    rule: str
    tokens: Counts = (0, 0, 0, 0)
    pico: int = 0


class PriceTables(NamedTuple):
    """Those in force, and those of this version, without the user's own."""

    ours: PriceTable
    bundled: PriceTable


class Comparison:
    """Our responses and ccusage's entries for the same lines."""

    def __init__(
        self,
        responses: Iterable[ExplainedResponse],
        lines: Sequence[CcusageLine],
        tables: PriceTables,
        day: Callable[[int], int],
    ) -> None:
        self._tables, self._day = tables, day
        self._pricer = Pricer(tables.ours)
        self._ours = {response.key: response for response in responses}
        self._skipped: dict[str, Counter[str]] = {}
        self.theirs: dict[str | None, list[CcusageEntry]] = {}
        self._count(lines)

    def _count(self, lines: Sequence[CcusageLine]) -> None:
        entries, keys = CcusageEntries(), dict[int, str | None]()
        for line in lines:
            if isinstance(line.entry, CcusageEntry):
                at = entries.add(line.entry)
                keys[at] = keys.get(at) or self._response_key(line)
            elif line.key is not None:
                self._skipped.setdefault(line.key, Counter())[line.entry] += 1
        for at, entry in enumerate(entries.entries):
            self.theirs.setdefault(keys[at], []).append(entry)

    def _response_key(self, line: CcusageLine) -> str | None:
        return line.key if line.key in self._ours else None

    def total(self) -> int | None:
        """ccusage's figure in picodollars, without `unknown_models`; None if nothing is left."""
        prices = [self._price(entry) for entry in self._entries()]
        known = [price for price in prices if price is not None]
        return sum(known) if known or not prices else None

    def unknown_models(self) -> tuple[str, ...]:
        """Models that ccusage may have a price for, which is not known here."""
        return tuple(sorted({one.model for one in self._entries() if self._price(one) is None}))

    def _entries(self) -> Iterator[CcusageEntry]:
        return (entry for group in self.theirs.values() for entry in group)

    def _price(self, entry: CcusageEntry) -> int | None:
        return ccusage_price(entry, self._tables.bundled)

    @property
    def ours(self) -> list[ExplainedResponse]:
        return list(self._ours.values())

    def gaps(self) -> list[CostGap]:
        """The gaps of all responses that differ."""
        ours = [self.gap(response) for response in self.ours]
        rule = "a line that is not an answer counts"
        only_theirs = [
            CostGap(rule, _tokens(entry), self._price(entry) or 0)
            for entry in self.theirs.get(None, [])
        ]
        return [gap for gap in (*ours, *only_theirs) if gap.rule]

    def gap(self, ours: ExplainedResponse) -> CostGap:
        """The gap of one of our responses; its rule is empty where nothing differs."""
        theirs = self.theirs.get(ours.key, [])
        tokens = ours.record.tokens
        mine = tokens.input, tokens.output, tokens.cache_write, tokens.cache_read
        more = _subtract(_sum(theirs), mine)
        pico = sum(self._price(entry) or 0 for entry in theirs) - (self._pico(ours) or 0)
        rules = self._rules(ours, theirs, more != (0, 0, 0, 0), pico != 0)
        return CostGap("; ".join(rules), more, pico)

    def _pico(self, ours: ExplainedResponse) -> int | None:
        record = ours.record
        return self._pricer.price(record.tokens, record.message.model, ours.first_at)

    def _rules(
        self,
        ours: ExplainedResponse,
        theirs: list[CcusageEntry],
        tokens_differ: bool,
        price_differs: bool,
    ) -> Iterator[str]:
        if ours.record.message.model == WEB_SEARCH:
            yield _FREE_SEARCHES
            return
        if len(theirs) != 1:
            yield _multiple(theirs) if theirs else self._missing(ours.key)
            return
        (entry,) = theirs
        if tokens_differ:
            yield _other_line(ours, entry)
        if entry.name != entry.model:
            yield "fast mode is listed as a model of its own"
        if ours.first_at is not None and self._day(entry.at) != self._day(ours.first_at):
            yield "the day is that of the line it keeps"
        if price_differs:
            rules = list(_price_rules(ours, entry, self._tables))
            yield from rules if rules or tokens_differ else ["priced differently"]

    def _missing(self, key: str) -> str:
        why = self._skipped.get(key)
        return f"not read: {why.most_common(1)[0][0]}" if why else "not read"


def earlier_gaps(earlier: Iterable[UsageRow], table: PriceTable) -> Iterator[CostGap]:
    """The gaps of responses that are only in an earlier version of a file: ccusage has none."""
    pricer = Pricer(table)
    for row in earlier:
        tokens = row.tokens
        less = (-tokens.input, -tokens.output, -tokens.cache_write, -tokens.cache_read)
        yield CostGap("not in the file any more", less, -(pricer.price_of(row) or 0))


def differences(gaps: Iterable[CostGap]) -> tuple[Difference, ...]:
    """Gaps added up by rule, the largest first."""
    groups: dict[str, list[CostGap]] = {}
    for gap in gaps:
        groups.setdefault(gap.rule, []).append(gap)
    result = []
    for rule, group in groups.items():
        input, output, write, read = map(sum, zip(*(gap.tokens for gap in group), strict=True))
        result.append(
            Difference(
                rule=rule,
                responses=len(group),
                input_tokens=input,
                output_tokens=output,
                cache_creation_tokens=write,
                cache_read_tokens=read,
                cost_usd=sum(gap.pico for gap in group) / PICO,
            )
        )
    return tuple(sorted(result, key=lambda one: (-abs(one.cost_usd), one.rule)))


def _sum(entries: Iterable[CcusageEntry]) -> Counts:
    counts = [_tokens(entry) for entry in entries]
    return (
        sum(one[0] for one in counts),
        sum(one[1] for one in counts),
        sum(one[2] for one in counts),
        sum(one[3] for one in counts),
    )


def _subtract(one: Counts, other: Counts) -> Counts:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2], one[3] - other[3]


def _tokens(entry: CcusageEntry) -> Counts:
    return entry.input, entry.output, entry.write_5m + entry.write_1h, entry.read


def _multiple(theirs: list[CcusageEntry]) -> str:
    if any(entry.id is None for entry in theirs):
        return "without a message id every line counts"
    if any(entry.request is None for entry in theirs):
        return "a line without a request id counts by itself"
    return "each request id counts by itself"


def _other_line(ours: ExplainedResponse, entry: CcusageEntry) -> str:
    tokens = ours.record.tokens
    same = (entry.input, entry.output, entry.read) == (
        tokens.input,
        tokens.output,
        tokens.cache_read,
    )
    if same:
        return "cache writes of unknown lifetime are left out beside a split"
    if ours.record.message.is_sidechain and not entry.is_sidechain:
        return "an echo in the main file counts, finished or not"
    return "the line with the largest sum of tokens counts, not the most output"


def _price_rules(
    ours: ExplainedResponse, entry: CcusageEntry, tables: PriceTables
) -> Iterator[str]:
    message, tokens = ours.record.message, ours.record.tokens
    table, bundled = tables
    rows = find_prices(message.model, table.models, table.aliases)
    if entry.cost_usd is not None:
        yield "the line's own costUSD is taken"
        return
    if is_unpriced(message.model):
        yield "its prices do not have this model"
        return
    if not rows or rows != find_prices(message.model, bundled.models, bundled.aliases):
        yield "your own prices are not known to it"
        return
    row = row_at(rows, ours.first_at)
    was_faster = tokens.speed == "fast" and row.fast != max(one.fast or 0 for one in rows)
    rules = {
        "prices have no dates": row is not rows[-1] or was_faster,
        "of a long prompt only the tokens past 200,000 of a kind cost more": _is_tiered(
            row, tokens
        ),
        _FREE_SEARCHES: tokens.web_searches > 0,
        "inference in the US costs no more": tokens.geo in table.geo,
        "a regional name costs a tenth more": is_regional(message.model),
    }
    yield from (rule for rule, applies in rules.items() if applies)


def _is_tiered(row: PriceRow, tokens: Tokens) -> bool:
    return any(tokens.prompt > tier.above for tier in row.tiers)
