"""Counts of tool calls -> the tools page: which fail, which are slow, which made you wait."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from unspool.show import safe
from unspool.show.money import plural
from unspool.show.times import duration
from unspool.show.views.shell import Shell


class ToolCount(Struct, frozen=True, kw_only=True):
    """One tool, over all sessions that were asked for."""

    name: str
    calls: int
    errors: int = 0
    rejected: int = 0
    median_ms: int | None = None
    p95_ms: int | None = None
    waited_ms: int = 0


class Row(Struct, frozen=True, kw_only=True):
    name: str
    calls: str
    errors: str
    rate: str
    is_bad: bool
    rejected: str
    median: str
    p95: str
    waited: str


class ToolsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "tools.html"
    shell: Shell
    say: str
    rows: tuple[Row, ...]


def tools_page(counts: Sequence[ToolCount], shell: Shell) -> ToolsPage:
    """The most used first; a tool that fails one time in ten stands out."""
    order = sorted(counts, key=lambda one: (-one.calls, one.name))
    calls, errors = sum(one.calls for one in order), sum(one.errors for one in order)
    waited = duration(sum(one.waited_ms for one in order))
    said = f"{plural(calls, 'call')}, {plural(errors, 'failure')}, {waited} waited for approval"
    return ToolsPage(shell=shell, say=said if order else "", rows=tuple(map(_row, order)))


def _row(one: ToolCount) -> Row:
    rate = one.errors / one.calls if one.calls else 0.0
    return Row(
        name=safe.brief(one.name, 100) or "?",
        calls=f"{one.calls:,}",
        errors=f"{one.errors:,}" if one.errors else "",
        rate=f"{rate:.1%}" if one.errors else "",
        is_bad=rate >= 0.1,
        rejected=f"{one.rejected:,}" if one.rejected else "",
        median=_took(one.median_ms),
        p95=_took(one.p95_ms),
        waited=duration(one.waited_ms) if one.waited_ms else "",
    )


def _took(milliseconds: int | None) -> str:
    """Most calls are quicker than a tenth of a second, and that is worth telling apart."""
    if milliseconds is not None and 0 <= milliseconds < 100:
        return f"{milliseconds} ms"
    return duration(milliseconds)
