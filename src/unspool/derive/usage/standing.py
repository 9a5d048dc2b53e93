"""Sums of the ledger, and answers newer than it -> how the session, the day and the block stand."""

from collections.abc import Iterable, Sequence

from unspool.derive.reading.clock import millis
from unspool.derive.usage.blocks import blocks, pace
from unspool.derive.usage.reports import added
from unspool.derive.usage.responses import (
    FileStart,
    claim,
    is_foreign,
    rank,
    response_key,
    settled,
)
from unspool.model.usage import LineUsage, OwnedUsage, StatuslineTotals, TotalRow, UsageRow


def responses(answers: Iterable[tuple[str, LineUsage]]) -> dict[str, OwnedUsage]:
    """Each response once, given what lines say and the session of the file each stands in."""
    return settled(OwnedUsage("", session, _row(session, one)) for session, one in answers)


def _row(session: str, one: LineUsage) -> UsageRow:
    at, foreign = millis(one.at), is_foreign(one.session_id, session)
    return UsageRow(
        response_key(one.message_id, "", ""),
        rank(one.tokens.output, one.is_sidechain, one.is_finished, at),
        claim(one.is_fork, at, one.is_sidechain, foreign, FileStart()),
        at,
        one.is_finished,
        one.model,
        one.tokens,
        "",
        0,
    )


def standing(totals: Sequence[TotalRow], session: str, day: int, now: int) -> StatuslineTotals:
    """How it stands now; `day` is the moment today began."""
    found = [block for block in blocks(totals, now) if block.is_active]
    block = found[-1] if found else None
    speed = pace(block, now) if block else None
    return StatuslineTotals(
        session=added(total[5:] for total in totals if total[2] == session),
        today=added(total[5:] for total in totals if int(total[0]) >= day),
        block=block,
        usd_per_hour=speed.usd_per_hour if speed else None,
        tokens_per_minute=speed.spoken_per_minute if speed else 0.0,
        minutes_left=max(0, round((block.end - now) / 60_000)) if block else 0,
    )
