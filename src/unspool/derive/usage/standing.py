"""Sums of the ledger, and answers newer than it -> how the session, the day and the block stand."""

from collections.abc import Iterable, Mapping, Sequence

from unspool.derive.reading.clock import millis
from unspool.derive.usage.blocks import blocks, pace
from unspool.derive.usage.reports import added
from unspool.derive.usage.responses import (
    QUARTER,
    FileStart,
    claim,
    is_foreign,
    merged,
    rank,
    response_key,
    settled,
)
from unspool.model.costs import Total
from unspool.model.statusline import Answer, Standing
from unspool.model.usage import OwnedUsage, Price, UsageRow


def responses(answers: Iterable[tuple[str, Answer]]) -> dict[str, OwnedUsage]:
    """Each response once, given what lines say and the session of the file each stands in."""
    return settled(OwnedUsage("", session, _row(session, one)) for session, one in answers)


def _row(session: str, one: Answer) -> UsageRow:
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


def sums(
    fresh: Mapping[str, OwnedUsage], ledger: Mapping[str, OwnedUsage], price: Price
) -> list[Total]:
    """What responses add to the sums of the ledger; those it has are taken out of them first."""
    found: list[Total] = []
    for key, owned in fresh.items():
        known = ledger.get(key)
        now = owned if known is None else merged(known, owned)
        if now.row.timestamp is None:
            continue
        if known is not None:
            if (now.session_id, now.row) == (known.session_id, known.row._replace(usd_pico=None)):
                continue
            found.append(_total(known, known.row.usd_pico, -1))
        found.append(_total(now, price(now.row), 1))
    return found


def _total(owned: OwnedUsage, pico: int | None, sign: int) -> Total:
    row, at = owned.row, owned.row.timestamp or 0
    tokens = row.tokens
    counts = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write)
    flags = (pico or 0, pico is None, not row.is_finished, 1)
    name = at - at % QUARTER, owned.project_id, owned.session_id, row.agent_id, row.model
    counted = (sign * count for count in (*counts, tokens.web_searches, *flags))
    return (*name, *counted, at, at)


def standing(totals: Sequence[Total], session: str, day: int, now: int) -> Standing:
    """How it stands now; `day` is the moment today began."""
    found = [block for block in blocks(totals, now) if block.is_active]
    block = found[-1] if found else None
    speed = pace(block, now) if block else None
    return Standing(
        session=added(total[5:] for total in totals if total[2] == session),
        today=added(total[5:] for total in totals if int(total[0]) >= day),
        block=block,
        usd_per_hour=speed.usd_per_hour if speed else None,
        tokens_per_minute=speed.spoken_per_minute if speed else 0.0,
        minutes_left=max(0, round((block.end - now) / 60_000)) if block else 0,
    )
