"""The machines of a hub: when each was seen, how far it is behind, what it spent today."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from msgspec import Struct

from unspool.model.shipping import MachineRow, TeamToday
from unspool.show.html.shell import Shell
from unspool.show.machine_view import MachineView, machine_view
from unspool.show.numbers import format_usd, plural


class MachinesPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "machines.html"
    shell: Shell
    summary: str
    team: str  # of all machines, where not all of them are listed
    rows: tuple[MachineView, ...]
    is_admin: bool


def machines_page(
    machines: Sequence[MachineRow],
    shell: Shell,
    now: int,
    zone: tzinfo | None = None,
    *,
    team: TeamToday | None = None,
    is_admin: bool = False,
) -> MachinesPage:
    """In the given order; the audit is for admins."""
    listed = sum(one.revoked_at is None for one in machines)
    return MachinesPage(
        shell=shell,
        summary=_summary(machines),
        team=_team(team) if team is not None and team.machines > listed else "",
        rows=tuple(machine_view(one, now, zone) for one in machines),
        is_admin=is_admin,
    )


def _team(team: TeamToday) -> str:
    cost = format_usd(team.cost_usd, at_least=team.is_lower_bound)
    counts = f"{plural(team.machines, 'machine')}, {plural(team.sessions, 'session')}"
    return f"The whole team today: {counts}, {cost}"


def _summary(machines: Sequence[MachineRow]) -> str:
    revoked = sum(one.revoked_at is not None for one in machines)
    parts = [plural(len(machines), "machine"), f"{revoked:,} revoked" if revoked else ""]
    if machines:
        costs = [one.cost_today_usd for one in machines]
        is_least = None in costs or any(one.is_lower_bound for one in machines)
        parts.append(f"{format_usd(sum(cost or 0.0 for cost in costs), at_least=is_least)} today")
    return ", ".join(filter(None, parts))
