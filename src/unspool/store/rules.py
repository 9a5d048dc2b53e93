"""Lines about API responses -> one row for each response, whatever order they come in."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from unspool.model.rows import UsageRow

QUARTER = 900_000


class Owned(NamedTuple):
    """A ledger row and whose it is."""

    project_id: str
    session_id: str
    row: UsageRow


def merged(one: Owned, other: Owned) -> Owned:
    """Two lines about one response: counts of the better, owner of the earlier; in any order."""
    if one.row.rank == other.row.rank:
        counts = max(one, other, key=_weight)
    else:
        counts = one if one.row.rank > other.row.rank else other
    owner = min(one, other, key=_claim)
    times = [made.row.timestamp for made in (one, other) if made.row.timestamp is not None]
    row = replace(
        counts.row,
        claim=owner.row.claim,
        timestamp=min(times, default=None),
        is_finished=one.row.is_finished or other.row.is_finished,
        agent_id=owner.row.agent_id,
        line_id=max(made.row.line_id for made in (one, other) if _claim(made) == _claim(owner)),
    )
    return Owned(owner.project_id, owner.session_id, row)


def _weight(owned: Owned) -> tuple[object, ...]:
    row = owned.row
    return (
        row.model,
        row.input_tokens,
        row.output_tokens,
        row.cache_read_tokens,
        row.cache_creation_tokens,
        row.cache_creation_5m,
        row.cache_creation_1h,
        row.web_searches,
        row.speed,
        row.geo,
    )


def _claim(owned: Owned) -> tuple[object, ...]:
    row = owned.row
    return row.claim, owned.project_id, owned.session_id, row.agent_id


def settled(rows: Iterable[Owned]) -> dict[str, Owned]:
    """One row for each response, whatever order its lines come in."""
    best: dict[str, Owned] = {}
    for owned in rows:
        known = best.get(owned.row.message_key)
        best[owned.row.message_key] = owned if known is None else merged(known, owned)
    return best
