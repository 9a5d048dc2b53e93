"""Our figure and ccusage's for the same lines -> where they differ, and by which of its rules."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from unspool.derive.usage import names
from unspool.derive.usage.ccusage import Counted, Entry, is_newer, is_regional, price
from unspool.derive.usage.explain import Kept
from unspool.derive.usage.prices import PICO, Pricer, row_at
from unspool.model.api import Difference
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.usage import Tokens, UsageRow

Counts: TypeAlias = tuple[int, int, int, int]  # input, output, cache write, cache read


class Read(Struct, frozen=True):
    """A line as ccusage reads it, or why it does not; and the response we take it to tell of."""

    key: str | None
    entry: Entry | str


class Gap(Struct, frozen=True):
    """What one response differs by: theirs less ours."""

    rule: str
    tokens: Counts = (0, 0, 0, 0)
    pico: int = 0


class Comparison:
    """Ours and theirs for the lines of one session, or of all."""

    def __init__(
        self,
        kept: Iterable[Kept],
        lines: Sequence[Read],
        table: PriceTable,
        day: Callable[[int], int],
    ) -> None:
        self._table, self._day = table, day
        self._pricer = Pricer(table)
        self._ours = {response.key: response for response in kept}
        self._unread: dict[str, Counter[str]] = {}
        self.theirs: dict[str | None, list[Entry]] = {}
        self._count(lines)

    def _count(self, lines: Sequence[Read]) -> None:
        counted, keys = Counted(), dict[int, str | None]()
        for line in lines:
            if isinstance(line.entry, Entry):
                at = counted.add(line.entry)
                keys[at] = keys.get(at) or self._known(line)
            elif line.key is not None:
                self._unread.setdefault(line.key, Counter())[line.entry] += 1
        for at, entry in enumerate(counted.entries):
            self.theirs.setdefault(keys[at], []).append(entry)

    def _known(self, line: Read) -> str | None:
        """An echo of an agent's line is none of ours; the response in it may be."""
        if line.key is None and isinstance(line.entry, Entry):
            echoed = f"m:{line.entry.id}"
            return echoed if echoed in self._ours else None
        return line.key if line.key in self._ours else None

    def total(self) -> int:
        """What ccusage says, in picodollars."""
        return sum(price(entry, self._table) for found in self.theirs.values() for entry in found)

    @property
    def ours(self) -> list[Kept]:
        """Our responses."""
        return list(self._ours.values())

    def gaps(self) -> list[Gap]:
        """Every response that differs."""
        found = [self.gap(response) for response in self.ours]
        strange = [
            Gap("a line that is no answer's counts", _tokens(entry), price(entry, self._table))
            for entry in self.theirs.get(None, [])
        ]
        return [gap for gap in (*found, *strange) if gap.rule]

    def gap(self, ours: Kept) -> Gap:
        """What one of our responses differs by; its rule is empty where nothing does."""
        theirs = self.theirs.get(ours.key, [])
        tokens = ours.told.tokens
        mine = tokens.input, tokens.output, tokens.cache_write, tokens.cache_read
        more = _less(_added(theirs), mine)
        pico = sum(price(entry, self._table) for entry in theirs) - (self._pico(ours) or 0)
        rules = self._rules(ours, theirs, more != (0, 0, 0, 0), pico != 0)
        return Gap("; ".join(rules), more, pico)

    def _pico(self, ours: Kept) -> int | None:
        told = ours.told
        return self._pricer.price(told.tokens, told.message.model, ours.first_at)

    def _rules(
        self, ours: Kept, theirs: list[Entry], tokens_differ: bool, price_differs: bool
    ) -> Iterator[str]:
        if len(theirs) != 1:
            yield _twice(theirs) if theirs else self._lost(ours.key)
            return
        (entry,) = theirs
        if tokens_differ:
            yield _other_line(ours, entry)
        if entry.name != entry.model:
            yield "fast mode is listed as a model of its own"
        if ours.first_at is not None and self._day(entry.at) != self._day(ours.first_at):
            yield "the day is that of the line it keeps"
        if price_differs:
            found = list(_price_rules(ours, entry, self._table))
            yield from found if found or tokens_differ else ["priced otherwise"]

    def _lost(self, key: str) -> str:
        why = self._unread.get(key)
        return f"not read: {why.most_common(1)[0][0]}" if why else "not read"


def gone(earlier: Iterable[UsageRow], table: PriceTable) -> Iterator[Gap]:
    """What only an earlier version of a file told: nobody else remembers that."""
    pricer = Pricer(table)
    for row in earlier:
        tokens = row.tokens
        less = (-tokens.input, -tokens.output, -tokens.cache_write, -tokens.cache_read)
        yield Gap("not in the file any more", less, -(pricer.price_of(row) or 0))


def differences(gaps: Iterable[Gap]) -> tuple[Difference, ...]:
    """Gaps added up by rule, the widest first."""
    groups: dict[str, list[Gap]] = {}
    for gap in gaps:
        groups.setdefault(gap.rule, []).append(gap)
    made = []
    for rule, group in groups.items():
        sent, written, cached, read = map(sum, zip(*(gap.tokens for gap in group), strict=True))
        made.append(
            Difference(
                rule=rule,
                responses=len(group),
                input_tokens=sent,
                output_tokens=written,
                cache_creation_tokens=cached,
                cache_read_tokens=read,
                cost_usd=sum(gap.pico for gap in group) / PICO,
            )
        )
    return tuple(sorted(made, key=lambda one: (-abs(one.cost_usd), one.rule)))


def _added(entries: Iterable[Entry]) -> Counts:
    counts = [_tokens(entry) for entry in entries]
    return (
        sum(one[0] for one in counts),
        sum(one[1] for one in counts),
        sum(one[2] for one in counts),
        sum(one[3] for one in counts),
    )


def _less(one: Counts, other: Counts) -> Counts:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2], one[3] - other[3]


def _tokens(entry: Entry) -> Counts:
    return entry.input, entry.output, entry.write_5m + entry.write_1h, entry.read


def _twice(theirs: list[Entry]) -> str:
    if any(entry.id is None for entry in theirs):
        return "without a message id every line counts"
    if any(entry.request is None for entry in theirs):
        return "a line without a request id counts by itself"
    return "each request id counts by itself"


def _other_line(ours: Kept, entry: Entry) -> str:
    tokens = ours.told.tokens
    same = (entry.input, entry.output, entry.read) == (
        tokens.input,
        tokens.output,
        tokens.cache_read,
    )
    if same:
        return "cache writes of no told lifetime are left out beside a split"
    if ours.told.message.is_sidechain and not entry.is_sidechain:
        return "an echo in the main file is preferred, finished or not"
    return "the line with the largest sum of tokens counts, not the most output"


def _price_rules(ours: Kept, entry: Entry, table: PriceTable) -> Iterator[str]:
    message, tokens = ours.told.message, ours.told.tokens
    rows = names.find(message.model, table.models, table.aliases)
    if entry.cost_usd is not None:
        yield "the line's own costUSD is taken"
        return
    if not rows or is_newer(message.model):
        yield "its prices do not have this model"
        return
    row = row_at(rows, ours.first_at)
    was_faster = tokens.speed == "fast" and row.fast != max(one.fast or 0 for one in rows)
    rules = {
        "prices have no dates": row is not rows[-1] or was_faster,
        "of a long prompt only the tokens past 200,000 of a kind cost more": _is_tiered(
            row, tokens
        ),
        "web searches cost nothing": tokens.web_searches > 0,
        "inference in the US costs no more": tokens.geo in table.geo,
        "a regional name costs a tenth more": is_regional(message.model),
    }
    yield from (rule for rule, applies in rules.items() if applies)


def _is_tiered(row: PriceRow, tokens: Tokens) -> bool:
    return any(tokens.prompt > tier.above for tier in row.tiers)
