"""The machines of a hub: the one answer of command, API and page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from unspool.engine import dates
from unspool.model.shipping import MachineDetail, MachineRow, TeamToday
from unspool.store.postgres.people import PeopleTable

_WITHHELD: Final = {
    "metadata": "This machine sends no texts: mode metadata.",
    "summary": "This machine sends only counts and costs: mode summary.",
}


def withheld(people: PeopleTable, project_id: str) -> str:
    """Why there are no lines of a project's sessions, if its machine sends none."""
    machine, _, _ = project_id.partition("~")
    return _WITHHELD.get(people.mode_of(machine), "")


def machine_rows(
    people: PeopleTable, now: int, owners: Sequence[int] | None = None
) -> list[MachineRow]:
    """Machines of some owners, or every one, by name; today is the day on this machine's clock."""
    return people.machines(_today(now), now, people.owners() if owners is None else owners)


def machine_detail(
    people: PeopleTable, name: str, now: int, owners: Sequence[int]
) -> MachineDetail:
    """One machine of some owners; NotFound."""
    return people.machine(name, _today(now), now, owners)


def team_today(people: PeopleTable, now: int) -> TeamToday:
    """All machines together, the same for everybody."""
    rows = machine_rows(people, now)
    costs = [one.cost_today_usd for one in rows if one.cost_today_usd is not None]
    return TeamToday(
        machines=sum(one.revoked_at is None for one in rows),
        sessions=sum(one.sessions_today for one in rows),
        cost_usd=sum(costs) if costs or not rows else None,
        is_lower_bound=len(costs) < len(rows) or any(one.is_lower_bound for one in rows),
    )


def _today(now: int) -> int:
    return dates.midnight(datetime.fromtimestamp(now / 1_000, UTC).astimezone().date())
