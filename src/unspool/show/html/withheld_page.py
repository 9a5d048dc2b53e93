"""A session of which a machine sends no lines: why, and what is known of it."""

from collections.abc import Iterator
from datetime import tzinfo
from typing import ClassVar

from msgspec import Struct

from unspool.model.session import SessionSummary
from unspool.show import times
from unspool.show.html.shell import Shell
from unspool.show.labels import model_label, title_label
from unspool.show.numbers import format_count, format_usd


class WithheldPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "withheld.html"
    shell: Shell
    headline: str
    reason: str
    facts: tuple[tuple[str, str], ...]


def withheld_page(
    row: SessionSummary, reason: str, shell: Shell, now: int, zone: tzinfo | None = None
) -> WithheldPage:
    """What a list knows, as a table; what is not known is left out."""
    return WithheldPage(
        shell=shell,
        headline=title_label(row.title or row.session.goal or row.id),
        reason=reason,
        facts=tuple((name, value) for name, value in _facts(row, now, zone) if value),
    )


def _facts(row: SessionSummary, now: int, zone: tzinfo | None) -> Iterator[tuple[str, str]]:
    info, used = row.session, row.metrics
    yield "Session", info.id
    yield "Project", info.project_name or info.project_id
    yield "Branch", info.git_branch or ""
    yield "Model", ", ".join(map(model_label, info.models or (info.model or "",)))
    yield "Started", times.date(info.start_time, now, zone) if info.start_time else ""
    yield "Last activity", times.ago(row.last_activity, now, zone) if row.last_activity else ""
    yield "Messages", "" if row.message_count is None else format_count(row.message_count)
    yield "Tokens", format_count(used.total_tokens) if used.total_tokens else ""
    yield "Cost", format_usd(used.cost_usd)
