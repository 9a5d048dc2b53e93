"""Usage lines of a session -> how its cost is made up: responses, dropped copies, and rates."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from unspool.derive.usage.file_usage import message_key
from unspool.derive.usage.prices import Pricer, price_response, rates_for, usd
from unspool.derive.usage.responses import place_key, usage_rank
from unspool.derive.usage.session_usage import NAMELESS
from unspool.model.api import Charge, DroppedLines, RatedTokens
from unspool.model.message import Message
from unspool.model.prices import PriceRow, PriceTable, Rates
from unspool.model.usage import WEB_SEARCH, Tokens, UsageRow

_MILLION: Final = 1_000_000


class UsageRecord(Struct, frozen=True):
    """One usage line: its message, its tokens, and the file it is in."""

    file: int  # which of the session's files
    is_agent: bool  # whether the file is an agent's
    message: Message
    tokens: Tokens

    @property
    def key(self) -> str:
        """The key of its response; line numbers are unique within their file only."""
        message = self.message
        return message_key(message) or place_key(self.file, message.line, message.part)


class ExplainedResponse(Struct, frozen=True):
    """A response: the record that counts, and its other records."""

    key: str
    record: UsageRecord
    others: tuple[UsageRecord, ...]

    @property
    def first_at(self) -> int | None:
        """The time of its earliest record."""
        records = (self.record, *self.others)
        times = [one.message.at for one in records if one.message.at is not None]
        return min(times, default=None)

    @property
    def row(self) -> UsageRow:
        """Its usage, as the ledger would have it."""
        message, at = self.record.message, self.first_at
        return UsageRow(
            self.key, b"", b"", at, self.is_finished, message.model, self.record.tokens, "", 0
        )

    @property
    def is_finished(self) -> bool:
        """Whether any of its records has a stop reason."""
        return any(one.message.stop_reason for one in (self.record, *self.others))


def group_responses(records: Iterable[UsageRecord]) -> list[ExplainedResponse]:
    """Each response once, in the order they began."""
    groups: dict[str, list[UsageRecord]] = {}
    for one in records:
        groups.setdefault(one.key, []).append(one)
    return [_response(name, group) for name, group in groups.items()]


def _response(key: str, group: list[UsageRecord]) -> ExplainedResponse:
    best = max(group, key=_rank)
    return ExplainedResponse(key, best, tuple(one for one in group if one is not best))


def _rank(one: UsageRecord) -> tuple[bytes, str, Tokens]:
    message, tokens = one.message, one.tokens
    is_final = message.stop_reason != ""
    best = usage_rank(tokens.output, message.is_sidechain, is_final, message.at)
    return best, message.model, tokens


def dropped_lines(
    responses: Sequence[ExplainedResponse], elsewhere: Mapping[str, str]
) -> tuple[DroppedLines, ...]:
    """How many lines do not count, by reason; `elsewhere` are keys other sessions own."""
    reasons: Counter[str] = Counter()
    for response in responses:
        if response.key in elsewhere:
            reasons["fork"] += 1 + len(response.others)
        else:
            reasons.update(_reason(one, response.record) for one in response.others)
    return tuple(DroppedLines(name, count) for name, count in reasons.most_common())


def _reason(one: UsageRecord, best: UsageRecord) -> str:
    if one.message.forked_from is not None and best.message.forked_from is None:
        return "fork"
    if one.file == best.file and one.message.is_sidechain == best.message.is_sidechain:
        return "streamed"
    return "sidechain" if one.is_agent or one.message.is_sidechain else "copy"


class _PriceGroup(Struct, frozen=True):
    """Responses with the same model, price row, tier and factors."""

    model: str
    row: PriceRow | None = None
    above: int | None = None
    fast: int | None = None
    geo: int | None = None


def charges(rows: Iterable[UsageRow], table: PriceTable) -> tuple[Charge, ...]:
    """Tokens by kind and rate, one charge per price group, the most expensive first."""
    groups: dict[_PriceGroup, list[Tokens]] = {}
    pricer = Pricer(table)
    for row in rows:
        groups.setdefault(_group(row, pricer), []).append(row.tokens)
    result = [_charge(group, tokens, table) for group, tokens in groups.items()]
    return tuple(sorted(result, key=lambda charge: -(charge.cost_usd or 0.0)))


def _group(used: UsageRow, pricer: Pricer) -> _PriceGroup:
    tokens, row = used.tokens, pricer.row(used.model, used.timestamp)
    if row is None:
        return _PriceGroup(used.model or NAMELESS)
    above = next((tier.above for tier in row.tiers if tokens.prompt > tier.above), None)
    fast = row.fast if tokens.speed == "fast" else None
    return _PriceGroup(used.model, row, above, fast, pricer.table.geo.get(tokens.geo))


def _charge(group: _PriceGroup, tokens: list[Tokens], table: PriceTable) -> Charge:
    row, searches = group.row, sum(one.web_searches for one in tokens)
    if group.model == WEB_SEARCH:
        cost = usd(searches * table.web_search)
        return Charge(
            model=group.model,
            responses=len(tokens),
            searches=searches,
            searches_usd=cost,
            cost_usd=cost,
        )
    if row is None:
        return Charge(model=group.model, responses=len(tokens))
    rate = rates_for(row, max(one.prompt for one in tokens))
    factor = (group.fast or 10) * (group.geo or 10) / 100
    return Charge(
        model=group.model,
        responses=len(tokens),
        since=row.start,
        until=row.until,
        above=group.above,
        fast=group.fast and group.fast / 10,
        geo=group.geo and group.geo / 10,
        kinds=tuple(_rate_kinds(tokens, rate, factor)),
        searches=searches,
        searches_usd=usd(searches * table.web_search),
        cost_usd=usd(sum(price_response(one, row, table) for one in tokens)),
    )


def _rate_kinds(tokens: list[Tokens], rate: Rates, factor: float) -> Iterable[RatedTokens]:
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
