"""Turns -> a table: one line for each prompt and all that answered it."""

from collections.abc import Sequence

from unspool.model.document import Turn
from unspool.show import safe, times
from unspool.show.money import format_count, format_usd
from unspool.show.names import model
from unspool.show.spans import Line, Span
from unspool.show.text.frame import Frame
from unspool.show.text.table import Column, table

_COLUMNS = (
    Column("#", right=True),
    Column("WHEN"),
    Column("LENGTH", right=True, drop=2),
    Column("TOOLS", right=True, drop=3),
    Column("TOKENS", right=True, drop=4),
    Column("COST", right=True),
    Column("PROMPT", flex=True),
    Column("MODEL", drop=5, most=24),
    Column("END", drop=1, most=16),
)


def turns(made: Sequence[Turn], frame: Frame) -> list[Line]:
    """One row a turn."""
    return table(_COLUMNS, [_row(turn, frame) for turn in made], frame.width)


def _row(turn: Turn, frame: Frame) -> list[Span]:
    spent = turn.duration_ms if turn.reported_duration_ms is None else turn.reported_duration_ms
    return [
        ("dim", str(turn.index)),
        ("", times.clock(turn.start_time, frame.zone)),
        ("", times.duration(spent)),
        ("dim", str(turn.tool_calls or "")),
        ("dim", format_count(turn.metrics.total_tokens)),
        ("", format_usd(turn.metrics.cost_usd, at_least=turn.metrics.lower_bound)),
        ("strong", safe.brief(turn.prompt) or "…"),
        ("dim", ", ".join(map(model, turn.models))),
        ("dim", safe.brief(turn.stop_reason, 40)),
    ]
