"""The projects page: cost and last activity of each project."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from msgspec import Struct

from unspool.model.api import ProjectSummary
from unspool.show import safe
from unspool.show.html.components import CheckoutLink, checkout_links, summed_usd
from unspool.show.html.shell import Shell
from unspool.show.labels import cost_label
from unspool.show.numbers import format_count, plural
from unspool.show.times import ago, date


class ProjectRow(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    path: str
    sessions: int
    cost: str
    usd: float
    tokens: str
    total_tokens: int
    first: str
    last: str
    last_at: str | None
    percent: float
    checkouts: tuple[CheckoutLink, ...] = ()


class ProjectsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "projects.html"
    shell: Shell
    summary: str
    rows: tuple[ProjectRow, ...]


def projects_page(
    projects: Sequence[ProjectSummary], shell: Shell, now: int, zone: tzinfo | None = None
) -> ProjectsPage:
    """In the given order: newest activity first."""
    most = max((one.metrics.cost_usd or 0.0 for one in projects), default=0.0) or 1.0
    total = summed_usd([one.metrics for one in projects])
    return ProjectsPage(
        shell=shell,
        summary=f"{plural(len(projects), 'project')}, {total}{_finding(projects)}",
        rows=tuple(_row(one, most, now, zone) for one in projects),
    )


def _finding(projects: Sequence[ProjectSummary]) -> str:
    """Which of several cost most, where each has a price."""
    whole = sum(one.metrics.cost_usd or 0.0 for one in projects)
    if len(projects) < 2 or not whole or any(one.metrics.cost_usd is None for one in projects):
        return ""
    most = max(projects, key=lambda one: one.metrics.cost_usd or 0.0)
    part = (most.metrics.cost_usd or 0.0) / whole
    return f"; {safe.brief(most.name or most.id, 60)} cost the most, {part * 100:.0f} %"


def _row(one: ProjectSummary, most: float, now: int, zone: tzinfo | None) -> ProjectRow:
    spent = one.metrics
    return ProjectRow(
        id=one.id,
        name=safe.brief(one.name or one.id, 100),
        path=safe.brief(one.path, 200),
        sessions=one.sessions,
        cost=cost_label(spent),
        usd=spent.cost_usd or 0.0,
        tokens=format_count(spent.total_tokens),
        total_tokens=spent.total_tokens,
        first=date(one.first_activity, now, zone),
        last=ago(one.last_activity, now, zone),
        last_at=one.last_activity,
        percent=round((spent.cost_usd or 0.0) / most * 100, 1),
        checkouts=checkout_links(one),
    )
