"""Answers of one file -> rows of the ledger, and their sums by quarters of an hour."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from msgspec import structs

from unspool.derive.money import names, rates
from unspool.derive.money.cost import billed
from unspool.ingest.claims import UNKNOWN, claim, is_foreign, rank
from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import message_key, tokens_of
from unspool.ingest.scan.merge import Answer
from unspool.model.costs import Total
from unspool.model.message import Tokens
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.rows import SourceRow, UsageRow
from unspool.store.rules import QUARTER

_DAY: Final = 86_400_000
_MOST: Final = (1 << 63) - 1

Name: TypeAlias = tuple[int, str, str]  # quarter, agent, model


class Rate(NamedTuple):
    """What a model costs on a day, and up to which prompt it costs that."""

    row: PriceRow
    plain: PriceRow  # the same without tiers
    longest: int


class Prices:
    """A price table, asked for many responses at once."""

    def __init__(self, table: PriceTable) -> None:
        self._table = table
        self._geo = set(table.geo)
        self._rates: dict[tuple[str, int], Rate | None] = {}

    def price(self, tokens: Tokens, model: str, at: int) -> int | None:
        """What one response costs; None where its model has no known price."""
        rate = self._rate(model, at // _DAY)
        return None if rate is None else min(billed(tokens, rate.row, self._table), _MOST)

    def total(self, model: str, group: list[Answer], added: Tokens) -> tuple[int, int]:
        """What responses of one model cost together, and how many of them have no price."""
        days = {answer.at // _DAY for answer in group}
        rate = self._rate(model, min(days))
        if len(days) == 1 and rate is None:
            return 0, len(group)
        if len(days) == 1 and rate is not None and self._is_plain(group, added, rate.longest):
            return billed(added, rate.plain, self._table), 0
        each = [self.price(tokens_of(one.used), model, one.at) for one in group]
        return sum(pico for pico in each if pico is not None), each.count(None)

    def _is_plain(self, group: list[Answer], added: Tokens, longest: int) -> bool:
        """Whether a sum costs what its parts do: no step and no factor in the price."""
        if "fast" in {answer.used.speed for answer in group}:
            return False
        if not self._geo.isdisjoint({answer.used.inference_geo for answer in group}):
            return False
        return added.prompt <= longest or all(
            tokens_of(answer.used).prompt <= longest for answer in group
        )

    def _rate(self, model: str, day: int) -> Rate | None:
        try:
            return self._rates[model, day]
        except KeyError:
            rate = self._rates[model, day] = self._found(model, day * _DAY)
            return rate

    def _found(self, model: str, at: int) -> Rate | None:
        found = names.find(model, self._table.models, self._table.aliases)
        if not found:
            return None
        row = rates.row_at(found, at)
        longest = min((tier.above for tier in row.tiers), default=_MOST)
        return Rate(row, structs.replace(row, tiers=()), longest)


def _added(group: list[Answer]) -> Tokens:
    """The sum of `tokens_of` each."""
    used = [answer.used for answer in group]
    write = write_5m = write_1h = searches = 0
    for one in used:
        wrote, split, server = (
            one.cache_creation_input_tokens or 0,
            one.cache_creation,
            one.server_tool_use,
        )
        if split is not None:
            short = split.ephemeral_5m_input_tokens or 0
            long = split.ephemeral_1h_input_tokens or 0
            write_5m += short
            write_1h += long
            wrote = max(wrote, short + long)
        if server is not None:
            searches += server.web_search_requests or 0
        write += wrote
    return Tokens(
        sum([one.input_tokens or 0 for one in used]),
        sum([one.output_tokens or 0 for one in used]),
        sum([one.cache_read_input_tokens or 0 for one in used]),
        write,
        write_5m,
        write_1h,
        searches,
    )


class Spent:
    """Makes rows and sums of one source's answers."""

    def __init__(self, source: SourceRow, prices: Prices, *, start: int = UNKNOWN) -> None:
        self._source = source
        self._start = start
        self._prices = prices

    def sums(self, answers: Iterable[Answer]) -> list[Total]:
        """Add answers up."""
        groups: dict[Name, list[Answer]] = {}
        for answer in answers:
            name = answer.first_at // QUARTER, answer.side.agent_id, answer.model
            group = groups.get(name)
            if group is None:
                groups[name] = [answer]
            else:
                group.append(answer)
        return [self._sum(*name, group) for name, group in groups.items()]

    def _sum(self, quarter: int, agent: str, model: str, group: list[Answer]) -> Total:
        times = [answer.first_at for answer in group]
        added = _added(group)
        return (
            quarter * QUARTER,
            self._source.project_id,
            self._source.session_id,
            agent,
            model,
            added.input,
            added.output,
            added.cache_read,
            added.cache_write,
            added.web_searches,
            *self._prices.total(model, group, added),
            sum([not answer.is_finished for answer in group]),
            len(group),
            min(times),
            max(times),
        )

    def row(self, name: str, answer: Answer) -> UsageRow:
        """An answer as the ledger keeps it."""
        tokens, model, at = tokens_of(answer.used), answer.model, answer.first_at
        side, source = answer.side, self._source
        agent = side.agent_id
        foreign = is_foreign(side.session_id, source.session_id)
        return UsageRow(
            message_key(name),
            rank(tokens.output, side.is_aside, answer.is_final, answer.at),
            claim(side.is_fork, at, agent != "", foreign, self._start),
            at,
            answer.is_finished,
            model,
            tokens.input,
            tokens.output,
            tokens.cache_read,
            tokens.cache_write,
            tokens.write_5m,
            tokens.write_1h,
            tokens.web_searches,
            tokens.speed,
            tokens.geo,
            self._prices.price(tokens, model, answer.at),
            agent,
            line_id(answer.place, at),
        )
