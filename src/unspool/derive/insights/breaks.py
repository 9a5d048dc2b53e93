"""Responses -> cache breaks: what lay in the cache a moment before and was written again."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Final, TypeAlias

from unspool.model.insights import CacheBreak, ResponseFact

# Tokens, write?, model, at -> picodollars, or None where the model has no price.
Price: TypeAlias = Callable[[ResponseFact, int, bool], int | None]

# Less than this is not worth a name, and prompts do change a little.
_LEAST: Final = 8_192
_KEPT: Final = 0.5
_SHORT_MS, _LONG_MS = 5 * 60_000, 60 * 60_000


def breaks(
    responses: Iterable[ResponseFact], compactions: Mapping[int, list[int]], price: Price
) -> list[CacheBreak]:
    """Responses in the order of session, agent and time. The dearest first."""
    made = []
    for last, one in pairwise(responses):
        if (last.session, last.agent) != (one.session, one.agent):
            continue
        held = last.cache_read + last.cache_write
        lost = min(held - one.cache_read, one.cache_write)
        if held >= _LEAST and one.cache_read < held * _KEPT and lost >= _LEAST:
            why = _why(last, one, compactions.get(one.session, []))
            made.append(_break(one, lost, why, price))
    return sorted(made, key=lambda one: (-one.pico, one.at))


def _why(last: ResponseFact, one: ResponseFact, compactions: list[int]) -> str:
    if bisect_right(compactions, one.at) > bisect_right(compactions, last.at):
        return "after a compaction"
    if last.model != one.model:
        return "another model"
    lives = _LONG_MS if last.write_1h or one.write_1h else _SHORT_MS
    if one.at - last.at > lives:
        return "a pause longer than the cache lives"
    return "the beginning of the prompt changed"


def _break(one: ResponseFact, lost: int, why: str, price: Price) -> CacheBreak:
    written, read = price(one, lost, True), price(one, lost, False)
    return CacheBreak(
        why=why,
        project_id=one.project_id,
        session_id=one.session_id,
        at=one.at,
        tokens=lost,
        pico=max(0, (written or 0) - (read or 0)),
    )
