"""Sums of the ledger, and answers newer than it -> how the session, the day and the block stand."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from unspool.derive.money.blocks import blocks, pace
from unspool.derive.money.reports import added
from unspool.derive.reading.clock import millis
from unspool.model.costs import Total
from unspool.model.statusline import Answer, Counted, Standing

_QUARTER = 900_000


def settled(answers: Iterable[Answer]) -> list[Answer]:
    """Each response once: the line with most output, with the time of the earliest."""
    best: dict[str, Answer] = {}
    for one in answers:
        held = best.get(one.key)
        if held is None:
            best[one.key] = one
            continue
        kept = max(held, one, key=_rank)
        is_finished = held.is_finished or one.is_finished
        best[one.key] = kept._replace(at=min(held.at, one.at), is_finished=is_finished)
    return list(best.values())


def sums(
    answers: Iterable[Answer],
    counted: Mapping[str, Counted],
    price: Callable[[Answer, int], int | None],
) -> list[Total]:
    """Answers in the form of the ledger's sums; of those it has, what they have become more."""
    found: list[Total] = []
    for one in answers:
        at, known, used = millis(one.at), counted.get(one.key), one.used
        if at is None or (known is not None and used.output <= known.output):
            continue
        pico = price(one, at)
        if known is None:
            counts = (used.input, used.output, used.read, used.write, used.searches, pico or 0)
            flags = (int(pico is None), int(not one.is_finished), 1)
        else:
            more = 0 if pico is None or known.pico is None else pico - known.pico
            counts = (0, used.output - known.output, 0, 0, 0, more)
            flags = (0, 0, 0)
        name = (at - at % _QUARTER, "", one.session, "", one.model)
        found.append((*name, *counts, *flags, at, at))
    return found


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


def _rank(one: Answer) -> tuple[int, bool, bool, str]:
    return one.used.output, not one.is_sidechain, one.is_finished, one.at
