"""The frame around every page, and the error page."""

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.usage import QuotaPace
from unspool.show import safe, times


class QuotaBar(Struct, frozen=True):
    """A usage limit: a bar for what is used, a tick for how much of its time is gone."""

    window: str
    used: int  # percent, as is `elapsed`
    elapsed: int
    is_ahead: bool
    note: str
    resets: str = ""


def quota_bars(
    limits: Iterable[QuotaPace], now: int, zone: tzinfo | None = None
) -> tuple[QuotaBar, ...]:
    """The bars of the header."""
    return tuple(_quota_bar(limit, now, zone) for limit in limits)


def _quota_bar(limit: QuotaPace, now: int, zone: tzinfo | None) -> QuotaBar:
    used, elapsed = min(round(limit.used), 100), min(round(limit.elapsed), 100)
    reset, told = times.when(limit.resets_at, now, zone), times.when(limit.at, now, zone)
    note = f"{elapsed} % of its window elapsed; resets {reset}, as of {told}"
    window = f"{limit.window[:-1]} {limit.window[-1:]}"
    return QuotaBar(window, used, elapsed, limit.is_ahead, note, f"resets {reset}")


class TourLink(Struct, frozen=True):
    """A question that made-up sessions answer, and the page that does."""

    question: str
    href: str


class Shell(Struct, frozen=True, kw_only=True):
    """The header; `name` is the page's class, `theme` is light, dark or the system's ("")."""

    title: str
    name: str = ""
    current: str = ""
    today: str = ""
    spark: tuple[int, ...] = ()  # percent of the highest, oldest first
    block: str = ""  # what the 5-hour block that runs has cost
    block_ends: str = ""
    quota: tuple[QuotaBar, ...] = ()  # usage limits that are known
    demo: str = ""  # says that the sessions are made up, where they are
    tour: tuple[TourLink, ...] = ()  # what to look at in them
    theme: str = ""
    here: str = "/"  # the page's own address
    has_machines: bool = False  # it is a hub's


def spark(days: Sequence[float]) -> tuple[int, ...]:
    """Costs by day, as percentages of the highest."""
    most = max(days, default=0.0) or 1.0
    return tuple(round(day / most * 100) for day in days)


class ProblemPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "problem.html"
    shell: Shell
    status: int
    headline: str
    summary: str
    hint: str


_HEADLINES: Final = {
    400: "Bad request",
    404: "Not found",
    410: "No longer available",
    503: "The index is unavailable",
}
_HINTS: Final = {
    404: "It may have been moved, or belong to another machine.",
    410: "Claude Code deleted it before it was archived.",
    503: "Run `unspool doctor` to find out why.",
    500: "Run `unspool doctor`; the server log has the details.",
}


def problem_page(status: int, title: str, detail: str, shell: Shell) -> ProblemPage:
    """A headline, the detail and a hint."""
    return ProblemPage(
        shell=shell,
        status=status,
        headline=_HEADLINES.get(status, title),
        summary=safe.brief(detail, 500),
        hint=_HINTS.get(status, ""),
    )
