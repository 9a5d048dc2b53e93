"""One machine of a hub, with what it sent, and the audit of the hub."""

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.shipping import AuditEntry, MachineDetail
from unspool.remote_paths import project_prefix
from unspool.show import safe
from unspool.show.html.shell import Shell
from unspool.show.machine_view import MachineView, machine_view
from unspool.show.numbers import format_bytes, plural
from unspool.show.times import ago, local_time, when

_LONGEST: Final = 300


class MachineProjectRow(Struct, frozen=True):
    """A project of a machine."""

    id: str
    name: str
    sessions: str
    seen_at: str | None
    seen: str


class WaitingRow(Struct, frozen=True):
    """A file that has more than the hub."""

    path: str
    bytes: str
    written: str


class MachinePage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "machine.html"
    shell: Shell
    row: MachineView
    facts: tuple[tuple[str, str], ...]
    projects: tuple[MachineProjectRow, ...]
    quarantine: tuple[tuple[str, str, str], ...]  # reason, how often, when last
    waiting: tuple[WaitingRow, ...]
    may_manage: bool
    asks: bool  # whether to revoke it
    command: str  # that gets another key, shown once


class AuditRow(Struct, frozen=True):
    """Something that was done."""

    at: str
    iso: str
    who: str
    what: str
    about: str
    address: str


class AuditPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "audit.html"
    shell: Shell
    rows: tuple[AuditRow, ...]
    next: str


def machine_page(  # noqa: PLR0913 - what an admin may do stands beside what there is
    found: MachineDetail,
    shell: Shell,
    now: int,
    zone: tzinfo | None = None,
    *,
    may_manage: bool = False,
    asks: bool = False,
    command: str = "",
) -> MachinePage:
    """All that is known of it."""
    row = machine_view(found.machine, now, zone)
    prefix = project_prefix(found.machine.name)
    return MachinePage(
        shell=shell,
        row=row,
        facts=tuple(_facts(found, row, now, zone)),
        projects=tuple(
            MachineProjectRow(
                one.project_id,
                safe.brief(one.project_id.removeprefix(prefix), _LONGEST),
                plural(one.sessions, "session"),
                _iso(one.last_activity),
                ago(_iso(one.last_activity), now, zone) or "unknown",
            )
            for one in found.projects
        ),
        quarantine=tuple(
            (
                safe.brief(one.reason, _LONGEST) or "no reason given",
                f"{one.count:,}",
                when(one.last_at, now, zone),
            )
            for one in found.quarantine
        ),
        waiting=tuple(
            WaitingRow(
                safe.brief(one.path, _LONGEST),
                format_bytes(one.bytes),
                when(one.written_at, now, zone),
            )
            for one in found.waiting
        ),
        may_manage=may_manage,
        asks=asks,
        command=command,
    )


def audit_page(
    entries: Sequence[AuditEntry], next: str, shell: Shell, now: int, zone: tzinfo | None = None
) -> AuditPage:
    """The newest first; `next` is the cursor of older ones."""
    rows = tuple(
        AuditRow(
            when(one.at, now, zone),
            _iso(one.at) or "",
            safe.brief(one.person or ("a machine" if one.what == "enrolled" else "the hub"), 100),
            safe.brief(one.what, 100),
            safe.brief(", ".join(dict.fromkeys(filter(None, (one.machine, one.about)))), _LONGEST),
            safe.brief(one.address or "", 100),
        )
        for one in entries
    )
    return AuditPage(shell=shell, rows=rows, next=next)


def _facts(
    found: MachineDetail, row: MachineView, now: int, zone: tzinfo | None
) -> list[tuple[str, str]]:
    machine = found.machine
    revoked = when(machine.revoked_at, now, zone) if machine.revoked_at is not None else ""
    known = [
        ("Person", row.person),
        ("Last seen", row.seen),
        ("Revoked", revoked),
        ("Queue", " ".join(filter(None, (row.queue or "unknown", row.lag)))),
        ("Clock", row.skew.removeprefix("clock ")),
        ("Sent", f"{row.bytes}, {row.sources}"),
        ("Quarantine", plural(machine.quarantined, "row") if machine.quarantined else ""),
        ("Version", row.version or "unknown"),
        ("Mode", row.mode or "unknown"),
        ("Platform", row.platform or "unknown"),
        ("Enrolled", when(machine.enrolled_at, now, zone)),
        ("Today", f"{row.sessions}, {row.cost}"),
    ]
    return [(name, text) for name, text in known if text]


def _iso(at: int | None) -> str | None:
    return local_time(at, UTC).isoformat() if at is not None else None
