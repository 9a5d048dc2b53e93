"""Lines of a session -> how its figure came to be: responses, copies dropped, rates and the sum."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from unspool.derive.usage.lines import message_key
from unspool.derive.usage.metrics import NAMELESS
from unspool.derive.usage.prices import Pricer, billed, rates_for, usd
from unspool.derive.usage.responses import place_key, rank
from unspool.model.api import Charge, DroppedLines, RatedTokens
from unspool.model.message import Message
from unspool.model.prices import PriceRow, PriceTable, Rates
from unspool.model.usage import Tokens, UsageRow

_MILLION: Final = 1_000_000


class Told(Struct, frozen=True):
    """One record that says what was used, and where it stands."""

    file: int  # which of the session's files
    is_agent: bool  # whether that is an agent's
    message: Message
    tokens: Tokens

    @property
    def key(self) -> str:
        """What tells its response from others; a line number says nothing outside its file."""
        message = self.message
        return message_key(message) or place_key(self.file, message.line, message.part)


class Kept(Struct, frozen=True):
    """A response: the record that counts, and all others that tell of it."""

    key: str
    told: Told
    others: tuple[Told, ...]

    @property
    def first_at(self) -> int | None:
        """Of its earliest record."""
        times = [one.message.at for one in (self.told, *self.others) if one.message.at is not None]
        return min(times, default=None)

    @property
    def row(self) -> UsageRow:
        """What it comes to."""
        message, at = self.told.message, self.first_at
        return UsageRow(
            self.key, b"", b"", at, self.is_finished, message.model, self.told.tokens, "", 0
        )

    @property
    def is_finished(self) -> bool:
        """Whether any of them says why it stopped."""
        return any(one.message.stop_reason for one in (self.told, *self.others))


def responses(told: Iterable[Told]) -> list[Kept]:
    """Each response once, in the order they began."""
    groups: dict[str, list[Told]] = {}
    for one in told:
        groups.setdefault(one.key, []).append(one)
    return [_kept(name, group) for name, group in groups.items()]


def _kept(name: str, group: list[Told]) -> Kept:
    best = max(group, key=_rank)
    return Kept(name, best, tuple(one for one in group if one is not best))


def _rank(one: Told) -> tuple[bytes, str, Tokens]:
    message, tokens = one.message, one.tokens
    is_final = message.stop_reason != ""
    best = rank(tokens.output, message.is_sidechain, is_final, message.at)
    return best, message.model, tokens


def dropped(kept: Sequence[Kept], elsewhere: Mapping[str, str]) -> tuple[DroppedLines, ...]:
    """Why each line that does not count does not."""
    why: Counter[str] = Counter()
    for response in kept:
        if response.key in elsewhere:
            why["fork"] += 1 + len(response.others)
        else:
            why.update(_why(one, response.told) for one in response.others)
    return tuple(DroppedLines(name, count) for name, count in why.most_common())


def _why(one: Told, best: Told) -> str:
    if one.message.forked_from is not None and best.message.forked_from is None:
        return "fork"
    if one.file == best.file and one.message.is_sidechain == best.message.is_sidechain:
        return "streamed"
    return "sidechain" if one.is_agent or one.message.is_sidechain else "copy"


class _Group(Struct, frozen=True):
    """What prices have in common."""

    model: str
    row: PriceRow | None = None
    above: int | None = None
    fast: int | None = None
    geo: int | None = None


def charges(rows: Iterable[UsageRow], table: PriceTable) -> tuple[Charge, ...]:
    """Tokens by kind and rate; what was priced alike is added up, the dearest first."""
    groups: dict[_Group, list[Tokens]] = {}
    pricer = Pricer(table)
    for row in rows:
        groups.setdefault(_group(row, pricer), []).append(row.tokens)
    made = [_charge(group, tokens, table) for group, tokens in groups.items()]
    return tuple(sorted(made, key=lambda charge: -(charge.cost_usd or 0.0)))


def _group(used: UsageRow, pricer: Pricer) -> _Group:
    tokens, row = used.tokens, pricer.row(used.model, used.timestamp)
    if row is None:
        return _Group(used.model or NAMELESS)
    above = next((tier.above for tier in row.tiers if tokens.prompt > tier.above), None)
    fast = row.fast if tokens.speed == "fast" else None
    return _Group(used.model, row, above, fast, pricer.table.geo.get(tokens.geo))


def _charge(group: _Group, tokens: list[Tokens], table: PriceTable) -> Charge:
    row = group.row
    if row is None:
        return Charge(model=group.model, responses=len(tokens))
    rate = rates_for(row, max(one.prompt for one in tokens))
    factor = (group.fast or 10) * (group.geo or 10) / 100
    searches = sum(one.web_searches for one in tokens)
    return Charge(
        model=group.model,
        responses=len(tokens),
        since=row.start,
        until=row.until,
        above=group.above,
        fast=group.fast and group.fast / 10,
        geo=group.geo and group.geo / 10,
        kinds=tuple(_rated(tokens, rate, factor)),
        searches=searches,
        searches_usd=usd(searches * table.web_search),
        cost_usd=usd(sum(billed(one, row, table) for one in tokens)),
    )


def _rated(tokens: list[Tokens], rate: Rates, factor: float) -> Iterable[RatedTokens]:
    short = sum(one.cache_write - one.write_1h for one in tokens)
    kinds = (
        ("input", sum(one.input for one in tokens), rate.input),
        ("output", sum(one.output for one in tokens), rate.output),
        ("cache write 5m", short, rate.write_5m),
        ("cache write 1h", sum(one.write_1h for one in tokens), rate.write_1h),
        ("cache read", sum(one.cache_read for one in tokens), rate.read),
    )
    for kind, count, price in kinds:
        if count:
            yield RatedTokens(kind, count, price / _MILLION, usd(int(count * price * factor)))
