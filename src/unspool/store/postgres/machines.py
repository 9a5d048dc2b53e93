"""Machines of a hub as people see them: how far each is, and what one of them sent."""

from collections.abc import Sequence
from typing import Any, Final

from unspool.derive.usage.responses import QUARTER
from unspool.errors import NotFound
from unspool.model.shipping import (
    MachineDetail,
    MachineProject,
    MachineRow,
    QuarantineReason,
    WaitingFile,
)
from unspool.store.postgres.tables import HubTable, ask

_OWNERS: Final = "SELECT owner FROM person WHERE owner > 0 AND name IS NOT NULL ORDER BY owner"
# Sums of one day alone, however long the history is.
_MACHINES: Final = """
    WITH today AS (
        SELECT e.machine, count(DISTINCT e.session) AS sessions, sum(t.usd_pico) AS pico,
            sum(t.unpriced) AS unpriced, sum(t.lower_bound) AS lower_bound,
            sum(t.responses) AS responses
        FROM total AS t JOIN session AS e ON e.owner = t.owner AND e.session = t.session
        WHERE t.owner = ANY(%(owners)s) AND t.quarter >= %(first)s
            AND t.last_at >= %(since)s
        GROUP BY e.machine
    )
    SELECT m.name, coalesce(p.name, ''), nullif(m.platform, ''), m.version, nullif(m.mode, ''),
        m.enrolled_at, m.seen_at,
        CASE WHEN m.link_seen_at > %(now)s - %(away)s THEN m.linked_at END, m.revoked_at,
        m.waiting_bytes,
        CASE WHEN m.waiting_bytes = 0 OR m.waiting_at <= m.newest_at THEN 0
            ELSE m.waiting_at - m.newest_at END, -m.skew_ms,
        m.sources, m.bytes, m.quarantined, coalesce(d.sessions, 0),
        CASE WHEN d.unpriced < d.responses OR d.machine IS NULL
            THEN (coalesce(d.pico, 0) / 1e12)::double precision END,
        coalesce(d.unpriced + d.lower_bound > 0, false)
    FROM machine AS m JOIN person AS p ON p.owner = m.owner
    LEFT JOIN today AS d ON d.machine = m.machine
    WHERE m.owner = ANY(%(owners)s) AND (%(name)s = '' OR m.name = %(name)s) ORDER BY m.name
"""
_PROJECTS: Final = """
    SELECT p.project_id, p.sessions, nullif((
        SELECT max(coalesce(e.last_activity, 0)) FROM session AS e
        WHERE e.owner = p.owner AND e.project_id = p.project_id AND e.is_displayable), 0)
    FROM project AS p JOIN machine AS m ON m.owner = p.owner
    WHERE m.owner = ANY(%(owners)s) AND m.name = %(name)s AND p.sessions > 0
        AND starts_with(p.project_id, m.name || '~')
    ORDER BY 3 DESC NULLS LAST, 1 LIMIT %(limit)s
"""
_REASONS: Final = """
    SELECT q.reason, count(*), max(q.at) FROM quarantine AS q
    JOIN machine AS m ON m.machine = q.machine
    WHERE m.owner = ANY(%(owners)s) AND m.name = %(name)s
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s
"""
_WAITING: Final = """
    SELECT s.path, s.size - s."offset", s.mtime_ns / 1000000
    FROM source AS s JOIN machine AS m ON m.machine = s.machine AND m.owner = s.owner
    WHERE m.owner = ANY(%(owners)s) AND m.name = %(name)s AND NOT s.superseded
        AND s.gone_at IS NULL AND s.size > s."offset"
    ORDER BY 2 DESC, 1 LIMIT %(limit)s
"""
_MODE: Final = "SELECT mode FROM machine WHERE name = %(name)s"
_MOST: Final = 50
AWAY_MS: Final = 90_000  # after so long without a sign of life


class MachineTable(HubTable):
    """Answers about machines of some owners, from any thread."""

    def owners(self) -> list[int]:
        """Everybody who has or had a name: what was sent stays when a person is closed."""
        with self._changing() as connection:
            return [owner for (owner,) in ask(connection, _OWNERS)]

    def mode_of(self, name: str) -> str:
        """The mode of a machine's last envelope, or ""."""
        with self._changing() as connection:
            rows = ask(connection, _MODE, name=name)
        return rows[0][0] if rows else ""

    def machines(
        self, since: int, now: int, owners: Sequence[int], name: str = ""
    ) -> list[MachineRow]:
        """Machines by name, or the one of a name; what each spent is counted from a midnight on."""
        names = MachineRow.__struct_fields__
        times = {"since": since, "first": since // QUARTER, "now": now, "away": AWAY_MS}
        with self._changing() as connection:
            rows = ask(connection, _MACHINES, owners=list(owners), name=name, **times)
        return [MachineRow(**dict(zip(names, row, strict=True))) for row in rows]

    def machine(self, name: str, since: int, now: int, owners: Sequence[int]) -> MachineDetail:
        """One machine with what it sent; NotFound also for one of somebody else."""
        found = self.machines(since, now, owners, name) if name else []
        if not found:
            raise NotFound("There is no such machine.")
        values: dict[str, Any] = {"owners": list(owners), "name": name, "limit": _MOST}
        with self._changing() as connection:
            projects = ask(connection, _PROJECTS, **values)
            reasons = ask(connection, _REASONS, **values)
            waiting = ask(connection, _WAITING, **values)
        return MachineDetail(
            machine=found[0],
            projects=tuple(MachineProject(*row) for row in projects),
            quarantine=tuple(QuarantineReason(*row) for row in reasons),
            waiting=tuple(WaitingFile(*row) for row in waiting),
        )
