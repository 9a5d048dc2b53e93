"""Answers of one file -> rows of the ledger, and their sums by quarters of an hour."""

import struct
from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import structs

from unspool.derive.money import names, rates
from unspool.derive.money.cost import billed
from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import Line, tokens_of
from unspool.ingest.scan.merge import Answer
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

    def sums(self, answers: Iterable[Answer]) -> list[Total]:
        """Add answers up."""
        groups: dict[Name, list[Answer]] = {}
        agent, agent_of = self._source.agent_id, self._agent
        for answer in answers:
            name = (
                answer.first_at // QUARTER,
                agent or agent_of(answer.first),
                answer.body.model or "",
            )
            group = groups.get(name)
            if group is None:
                groups[name] = [answer]
            else:
                group.append(answer)
        return [self._sum(*name, group) for name, group in groups.items()]

    def _sum(self, quarter: int, agent: str, model: str, group: list[Answer]) -> Total:
        tokens = [tokens_of(answer.used) for answer in group]
        times = [answer.first_at for answer in group]
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
            *self._prices.total(model, [answer.at for answer in group], tokens, added),
            sum([not answer.finished for answer in group]),
            len(group),
            min(times),
            max(times),
        )

    def row(self, id: str, answer: Answer) -> UsageRow:
        """An answer as the ledger keeps it."""
        line, first, at = answer.line, answer.first, answer.first_at
        tokens, model, agent = tokens_of(answer.used), answer.body.model or "", self._agent(first)
        rank = _rank.pack(
            tokens.output,
            not line.is_sidechain,
            bool(answer.body.stop_reason),
            answer.at + 1,
        )
        claim = _claim.pack(first.forked_from is not None, False, at, bool(agent))
        return UsageRow(
            f"m:{id}",
            rank + model.encode("utf-8", "replace"),
            claim + self._session,
            at,
            answer.finished,
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
            line_id(self._source.source_id, self._source.generation, answer.place, at),
        )

    def _agent(self, first: Line) -> str:
        return self._source.agent_id or (first.agent_id or "" if first.is_sidechain else "")
