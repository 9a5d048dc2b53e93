"""Answers of one file -> rows of the ledger, and their sums by quarters of an hour."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from unspool.derive.usage.prices import MOST_PICO, Pricer, billed
from unspool.derive.usage.responses import QUARTER, FileStart, claim, is_foreign, rank
from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import message_key, tokens_of
from unspool.ingest.scan.merge import Answer
from unspool.model.costs import Total
from unspool.model.rows import SourceRow
from unspool.model.usage import Tokens, UsageRow

Name: TypeAlias = tuple[int, str, str]  # quarter, agent, model


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

    def __init__(self, source: SourceRow, pricer: Pricer, start: FileStart) -> None:
        self._source, self._pricer, self._start = source, pricer, start

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
            *self._cost(model, times[0], group, added),
            sum([not answer.is_finished for answer in group]),
            len(group),
            min(times),
            max(times),
        )

    def _cost(self, model: str, at: int, group: list[Answer], added: Tokens) -> tuple[int, int]:
        """What responses of one quarter cost together, and how many of them have no price."""
        pricer = self._pricer
        row = pricer.row(model, at)
        if row is None:
            return 0, len(group)
        longest = min((tier.above for tier in row.tiers), default=MOST_PICO)
        if _is_plain(group, added, longest, pricer.table.geo):
            total = billed(added, row._replace(tiers=()), pricer.table)
            if total < MOST_PICO:
                return total, 0
        return sum(billed(tokens_of(one.used), row, pricer.table) for one in group), 0

    def row(self, name: str, answer: Answer) -> UsageRow:
        """An answer as the ledger keeps it."""
        tokens, at = tokens_of(answer.used), answer.first_at
        side, source = answer.side, self._source
        agent = side.agent_id
        foreign = is_foreign(side.session_id, source.session_id)
        return UsageRow(
            message_key(name),
            rank(tokens.output, side.is_aside, answer.is_final, answer.at),
            claim(side.is_fork, at, agent != "", foreign, self._start),
            at,
            answer.is_finished,
            answer.model,
            tokens,
            agent,
            line_id(answer.place, at),
        )


def _is_plain(group: list[Answer], added: Tokens, longest: int, geo: Mapping[str, int]) -> bool:
    """Whether a sum costs what its parts do: no step and no factor in the price."""
    if "fast" in {answer.used.speed for answer in group}:
        return False
    if not geo.keys().isdisjoint({answer.used.inference_geo for answer in group}):
        return False
    return added.prompt <= longest or all(
        tokens_of(answer.used).prompt <= longest for answer in group
    )
