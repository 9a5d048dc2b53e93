"""What the SQL stores read alike: the columns of sums, and rows of the timeline as values."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from unspool.model.live import EventPosition, LineEvent, TokenCounts

_COUNTS: Final = (
    "input_tokens output_tokens cache_read_tokens cache_creation_tokens web_searches usd_pico"
    " unpriced lower_bound responses"
).split()
# The counts of a total, and of several added up, in the order of `UsageTotal`.
TOTAL_COUNTS: Final = ", ".join(f"t.{name}" for name in (*_COUNTS, "first_at", "last_at"))
TOTAL_SUMS: Final = (
    ", ".join(f"sum(t.{name})" for name in _COUNTS)
    + ", coalesce(min(nullif(t.first_at, 0)), 0), max(t.last_at)"
)


def line_event(row: Sequence[Any]) -> LineEvent:
    """A line that is an event."""
    *place, length, id, at, order, type, agent, uuid = row
    return LineEvent(
        place=EventPosition(*place),
        length=length,
        line_id=id,
        at=at,
        order=order,
        event_type=type,
        agent_id=agent,
        uuid=uuid,
    )


def token_counts(rows: Iterable[Sequence[Any]]) -> dict[int, TokenCounts]:
    """The tokens of lines, by line."""
    return {line: (i, o, c, r) for line, i, o, c, r in rows}
