"""A session -> how its cost came to be: lines, responses, copies, rates, and ccusage's figure."""

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Final

from msgspec import Struct, structs

from unspool.decode.lines import decode
from unspool.derive.reading.messages import read
from unspool.derive.usage.ccusage import REPORT, VERSION, CcusageEntry, read_entry
from unspool.derive.usage.compare import (
    CcusageLine,
    Comparison,
    PriceTables,
    differences,
    earlier_gaps,
)
from unspool.derive.usage.explain import (
    ExplainedResponse,
    UsageRecord,
    charges,
    dropped_lines,
    group_responses,
)
from unspool.derive.usage.file_usage import usage_messages
from unspool.derive.usage.prices import PICO
from unspool.derive.usage.responses import merge_usage
from unspool.engine.dates import day_numbers
from unspool.engine.sessions.session import SessionReader
from unspool.engine.usage.totals import RootUsage, UsageSource
from unspool.model.api import Charge, Explanation, ToolComparison
from unspool.model.files import TranscriptFile
from unspool.model.prices import PriceTable
from unspool.model.usage import OwnedUsage, UsageRow

_WORDS: Final = (b'"assistant"', b'"usage"', b'"searchCount"')


class UsageLines(Struct):
    """What some files say."""

    files: int = 0
    lines: int = 0
    records: list[UsageRecord] = []
    reads: list[CcusageLine] = []


def explain_cost(
    session: SessionReader, source: UsageSource, zone: tzinfo | None = None
) -> Explanation:
    """How the cost of a session came to be; `zone` is where ccusage's days would start."""
    explanation = _explanation(session, source, zone)
    metrics = session.document(limit=0, bodies=False).metrics
    unknown, stated = metrics.unknown_agents, metrics.total.cost_state
    explanation = structs.replace(
        explanation,
        unknown_agents=unknown,
        responses=explanation.responses + unknown,
        lower_bound=explanation.lower_bound + unknown,
    )
    if stated is None:
        return explanation
    difference = stated.total_cost_usd - (explanation.total_cost or 0.0)
    return structs.replace(
        explanation, cost_state_usd=stated.total_cost_usd, cost_state_difference=difference
    )


def _explanation(session: SessionReader, source: UsageSource, zone: tzinfo | None) -> Explanation:
    found = gather(session.transcripts())
    table, all_responses = source.price_files.table(), group_responses(found.records)
    elsewhere = _elsewhere(session.file, all_responses, source)
    ours = [response for response in all_responses if response.key not in elsewhere]
    told = {row.message_key: row for row in session.earlier_responses}
    own = [_whole(response.row, told.pop(response.key, response.row)) for response in ours]
    earlier = [*told.values()]
    rows = [*own, *earlier]
    items = charges(rows, table)
    comparison = Comparison(
        ours,
        # Responses of another session count for that one with ccusage as well.
        [line for line in found.reads if line.key not in elsewhere],
        PriceTables(table, source.price_files.bundled()),
        day_numbers(zone),
    )
    return Explanation(
        session_id=session.file.session_id or "",
        project_id=session.file.project_id,
        files=found.files,
        lines=found.lines,
        usage_lines=len(found.records),
        responses=len(rows),
        earlier=len(earlier),
        dropped=dropped_lines(all_responses, elsewhere),
        elsewhere=_counted(elsewhere),
        charges=items,
        total_cost=_total(items),
        unpriced=tuple(sorted({charge.model for charge in items if charge.cost_usd is None})),
        lower_bound=sum(not row.is_finished for row in rows),
        ccusage=_compared(comparison, earlier, table),
    )


def _whole(row: UsageRow, told: UsageRow) -> UsageRow:
    """What the lines of a response say, with what an earlier version of the file said of it."""
    return merge_usage(OwnedUsage("", "", row), OwnedUsage("", "", told)).row


def _elsewhere(
    file: TranscriptFile, all_responses: list[ExplainedResponse], source: UsageSource
) -> dict[str, str]:
    """Responses that count for another session, and which."""
    mine = file.project_id, file.session_id
    found = RootUsage(source).owners(response.key for response in all_responses)
    return {key: owner[1] for key, owner in found.items() if owner != mine}


def _counted(elsewhere: dict[str, str]) -> dict[str, int]:
    sessions = list(elsewhere.values())
    return {session: sessions.count(session) for session in sorted(set(sessions))}


def _total(items: tuple[Charge, ...]) -> float | None:
    priced = [charge.cost_usd for charge in items if charge.cost_usd is not None]
    return sum(priced) if priced or not items else None


def _compared(
    comparison: Comparison, earlier: Sequence[UsageRow], table: PriceTable
) -> ToolComparison:
    gaps, total = [*comparison.gaps(), *earlier_gaps(earlier, table)], comparison.total()
    return ToolComparison(
        tool=f"ccusage {VERSION}",
        report=REPORT,
        total_cost=None if total is None else total / PICO,
        difference=sum(gap.pico for gap in gaps) / PICO,
        unknown_models=comparison.unknown_models(),
        because=differences(gaps),
    )


def gather(files: Iterable[tuple[TranscriptFile, Iterable[bytes]]]) -> UsageLines:
    """All lines of a session's transcripts that say what was used."""
    made = UsageLines()
    for file, lines in files:
        for number, line in enumerate(lines, 1):
            made.lines += 1
            if any(word in line for word in _WORDS):
                _take(made, file, number, line)
        made.files += 1
    return made


def _take(usage: UsageLines, file: TranscriptFile, number: int, line: bytes) -> None:
    records = [
        UsageRecord(usage.files, bool(file.agent_id), message, message.tokens)
        for part, record in enumerate(decode(line))
        for message in usage_messages(read(record, number, part), record, number, part)
        if message.tokens is not None
    ]
    usage.records += records
    theirs = read_entry(line, file.session_id or "")
    if records or isinstance(theirs, CcusageEntry):
        usage.reads.append(CcusageLine(records[0].key if records else None, theirs))
    # Of records glued together ccusage reads none.
    why = theirs if isinstance(theirs, str) else ""
    usage.reads += [CcusageLine(one.key, why) for one in records[1:]]
