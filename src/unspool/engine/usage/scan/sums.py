"""Answers of one file -> their sums by quarters of an hour, and rows of those others have too."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from unspool.derive.usage.prices import MOST_PICO, Pricer, price_response
from unspool.derive.usage.responses import QUARTER, is_foreign, usage_claim, usage_rank
from unspool.engine.usage.scan.answers import Answer, tokens_of
from unspool.engine.usage.scan.cache import FileSum, ScanJob, ScannedUsage, key_hash
from unspool.engine.usage.scan.files import FileScan, scan
from unspool.errors import UnspoolError
from unspool.model.files import Root, TranscriptFile
from unspool.model.usage import Tokens, UsageRow
from unspool.source.session_files import transcript_at

Name: TypeAlias = tuple[int, str, str]  # quarter, agent, model


def scan_jobs(
    jobs: Iterable[ScanJob], roots: Sequence[Root], pricer: Pricer, now: int
) -> Iterator[ScannedUsage]:
    """Scan files; those that cannot be opened are left out, and looked at again next time."""
    for job in jobs:
        file = transcript_at(roots, job.path, is_scanned=True)
        with suppress(UnspoolError):
            if file is not None:
                yield file_usage(file, scan(file, now), pricer, job.shared)


def file_usage(
    file: TranscriptFile, scan: FileScan, pricer: Pricer, shared: Collection[int] | None = ()
) -> ScannedUsage:
    """What a file used: rows of responses that are `shared` by their hashes, sums of the others.

    Without `shared` all of it is rows.
    """
    hashes = {key: key_hash(key) for key in scan.answers}
    # A line that was looked at closely may be about any response.
    close = {key_hash(row.message_key) for row in scan.rows}
    apart = hashes.keys() if shared is None else _apart(hashes, close.union(shared))
    rows = [_row(file, key, scan.answers[key], scan) for key in hashes if key in apart]
    alone = [scan.answers[key] for key in hashes if key not in apart] if apart else None
    sums = _sums(scan.answers.values() if alone is None else alone, pricer)
    return ScannedUsage(
        file.path,
        scan.size,
        scan.mtime_ns,
        file.project_id,
        file.session_id or "",
        sums,
        scan.rows + rows,
        array("I", close.union(hashes.values())).tobytes(),
    )


def _apart(hashes: Mapping[str, int], shared: Collection[int]) -> set[str]:
    return {key for key, hash in hashes.items() if hash in shared} if shared else set()


def _row(file: TranscriptFile, key: str, answer: Answer, scan: FileScan) -> UsageRow:
    """An answer as the ledger keeps it."""
    tokens, origin, at = tokens_of(answer.used), answer.origin, answer.first_at
    agent = origin.agent_id
    foreign = is_foreign(origin.session_id, file.session_id or "")
    return UsageRow(
        key,
        usage_rank(tokens.output, origin.is_sidechain, answer.is_final, answer.at),
        usage_claim(origin.is_fork, at, agent != "", foreign, scan.start),
        at,
        answer.is_finished,
        answer.model,
        tokens,
        agent,
        0,
    )


def _sums(answers: Iterable[Answer], pricer: Pricer) -> list[FileSum]:
    groups: dict[Name, list[Answer]] = {}
    for answer in answers:
        name = answer.first_at // QUARTER, answer.origin.agent_id, answer.model
        group = groups.get(name)
        if group is None:
            groups[name] = [answer]
        else:
            group.append(answer)
    return [_sum(*name, group, pricer) for name, group in groups.items()]


def _sum(quarter: int, agent: str, model: str, group: list[Answer], pricer: Pricer) -> FileSum:
    added = _add(group, pricer.table.geo)
    times = [answer.first_at for answer in group]
    tokens = added.tokens
    return (
        max(0, quarter) * QUARTER,
        agent,
        model,
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_write,
        tokens.web_searches,
        *_cost(model, times[0], group, added, pricer),
        added.unfinished,
        len(group),
        min(times),
        max(times),
    )


class _Added(NamedTuple):
    """The sum of `tokens_of` each, and what decides whether it costs what its parts do."""

    tokens: Tokens
    longest: int  # the longest prompt
    has_factor: bool  # some price is multiplied
    unfinished: int


def _add(group: list[Answer], geo: Mapping[str, int]) -> _Added:
    """One loop: it runs for every answer there is."""
    input = output = read = write = write_5m = write_1h = searches = finished = 0
    prompts, has_factor = list[int](), False
    for answer in group:
        used = answer.used
        split, server = used.cache_creation, used.server_tool_use
        sent, cached = used.input_tokens or 0, used.cache_read_input_tokens or 0
        wrote = used.cache_creation_input_tokens or 0
        if split is not None:
            short = split.ephemeral_5m_input_tokens or 0
            long = split.ephemeral_1h_input_tokens or 0
            write_5m += short
            write_1h += long
            wrote = max(wrote, short + long)
        if server is not None:
            searches += server.web_search_requests or 0
        input += sent
        output += used.output_tokens or 0
        read += cached
        write += wrote
        prompts.append(sent + cached + wrote)
        if used.speed == "fast" or used.inference_geo in geo:
            has_factor = True
        finished += answer.is_finished
    tokens = Tokens(input, output, read, write, write_5m, write_1h, searches)
    return _Added(tokens, max(prompts), has_factor, len(group) - finished)


def _cost(
    model: str, at: int, group: list[Answer], added: _Added, pricer: Pricer
) -> tuple[int, int]:
    """What responses of one quarter cost together, and how many of them have no price."""
    row = pricer.row(model, at)
    if row is None:
        return 0, len(group)
    # A sum costs what its parts do where there is no step and no factor in the price.
    step = min((tier.above for tier in row.tiers), default=MOST_PICO)
    if not added.has_factor and added.longest <= step:
        total = price_response(added.tokens, row._replace(tiers=()), pricer.table)
        if total < MOST_PICO:
            return total, 0
    return sum(price_response(tokens_of(one.used), row, pricer.table) for one in group), 0
