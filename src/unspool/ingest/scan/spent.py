"""Answers of one file -> rows of the ledger, and their sums by quarters of an hour."""

import struct
from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import structs

from unspool.derive.money import names, rates
from unspool.derive.money.cost import billed
from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import message_key
from unspool.ingest.scan.merge import Told
from unspool.model.costs import Total
from unspool.model.message import Tokens
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.rows import SourceRow, UsageRow
from unspool.store.rules import QUARTER

_DAY: Final = 86_400_000
_MOST: Final = (1 << 63) - 1
# As `ingest.usage` packs them.
_rank: Final = struct.Struct(">QBBQ")
_claim: Final = struct.Struct(">BBQB")

Name: TypeAlias = tuple[int, str, str]  # quarter, agent, model


class Prices:
    """A price table, asked for many responses at once."""

    def __init__(self, table: PriceTable) -> None:
        self._table = table
        self._geo = set(table.geo)
        self._rows: dict[tuple[str, int], PriceRow | None] = {}

    def price(self, tokens: Tokens, model: str, at: int) -> int | None:
        """What one response costs; None where its model has no known price."""
        row = self._row(model, at)
        return None if row is None else min(billed(tokens, row, self._table), _MOST)

    def total(
        self, model: str, times: list[int], tokens: list[Tokens], added: Tokens
    ) -> tuple[int, int]:
        """What responses of one model cost together, and how many of them have no price."""
        first, last = min(times), max(times)
        row = self._row(model, first)
        if first // _DAY == last // _DAY and self._is_plain(row, tokens):
            if row is None:
                return 0, len(tokens)
            return billed(added, structs.replace(row, tiers=()), self._table), 0
        each = [self.price(one, model, at) for at, one in zip(times, tokens, strict=True)]
        return sum(pico for pico in each if pico is not None), each.count(None)

    def _is_plain(self, row: PriceRow | None, tokens: list[Tokens]) -> bool:
        """Whether a sum costs what its parts do: no step and no factor in the price."""
        if row is None:
            return True
        if {one.speed for one in tokens} & {"fast"} or {one.geo for one in tokens} & self._geo:
            return False
        prompts = [one.input + one.cache_read + one.cache_write for one in tokens]
        return all(tier.above >= max(prompts) for tier in row.tiers)

    def _row(self, model: str, at: int) -> PriceRow | None:
        key = model, at // _DAY
        try:
            return self._rows[key]
        except KeyError:
            found = names.find(model, self._table.models, self._table.aliases)
            row = self._rows[key] = rates.row_at(found, at) if found else None
            return row


def _added(tokens: list[Tokens]) -> Tokens:
    return Tokens(
        sum([one.input for one in tokens]),
        sum([one.output for one in tokens]),
        sum([one.cache_read for one in tokens]),
        sum([one.cache_write for one in tokens]),
        sum([one.write_5m for one in tokens]),
        sum([one.write_1h for one in tokens]),
        sum([one.web_searches for one in tokens]),
    )


class Spent:
    """Makes rows and sums of one source's answers."""

    def __init__(self, source: SourceRow, prices: Prices) -> None:
        self._source = source
        self._session = source.session_id.encode("utf-8", "replace")
        self._prices = prices

    def sums(self, answers: Iterable[Told]) -> list[Total]:
        """Add answers up."""
        groups: dict[Name, list[Told]] = {}
        agent = self._source.agent_id
        for told in answers:
            name = told.first_at // QUARTER, agent or told.agent_id, told.model
            group = groups.get(name)
            if group is None:
                groups[name] = [told]
            else:
                group.append(told)
        return [self._sum(*name, group) for name, group in groups.items()]

    def _sum(self, quarter: int, agent: str, model: str, group: list[Told]) -> Total:
        tokens = [told.tokens for told in group]
        times = [told.first_at for told in group]
        added = _added(tokens)
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
            *self._prices.total(model, [told.at for told in group], tokens, added),
            sum([not told.is_finished for told in group]),
            len(group),
            min(times),
            max(times),
        )

    def row(self, name: str, told: Told) -> UsageRow:
        """An answer as the ledger keeps it."""
        tokens, model, at = told.tokens, told.model, told.first_at
        agent = self._source.agent_id or told.agent_id
        rank = _rank.pack(tokens.output, not told.is_sidechain, told.is_final, told.at + 1)
        return UsageRow(
            message_key(name),
            rank + model.encode("utf-8", "replace"),
            _claim.pack(told.is_fork, False, at, bool(agent)) + self._session,
            at,
            told.is_finished,
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
            self._prices.price(tokens, model, told.at),
            agent,
            line_id(self._source.source_id, self._source.generation, told.place, at),
        )
