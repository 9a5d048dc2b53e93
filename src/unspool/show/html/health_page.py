"""The health page: findings of the doctor, each with its fix."""

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.health import Finding, Grade, IndexStatus
from unspool.show.html.shell import Shell
from unspool.show.numbers import format_bytes, plural


class FindingRow(Struct, frozen=True, kw_only=True):
    kind: str
    about: str
    text: str
    fix: str
    details: tuple[str, ...]


class HealthPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "health.html"
    shell: Shell
    kind: str
    headline: str
    summary: str
    wrong: tuple[FindingRow, ...]
    noted: tuple[FindingRow, ...]
    fine: tuple[FindingRow, ...]
    facts: tuple[tuple[str, str], ...]


_KINDS: Final[dict[Grade, str]] = {"ok": "ok", "note": "note", "wrong": "fail"}


def health_page(findings: Sequence[Finding], index: IndexStatus | None, shell: Shell) -> HealthPage:
    """Problems first, each with the command that fixes it."""
    wrong = [one for one in findings if one.grade == "wrong"]
    noted = [one for one in findings if one.grade == "note"]
    fine = [one for one in findings if one.grade == "ok"]
    problems = plural(len(wrong), "problem")
    return HealthPage(
        shell=shell,
        kind="fail" if wrong else "ok",
        headline=problems if wrong else "No problems",
        summary=_say(noted, index),
        wrong=tuple(map(_row, wrong)),
        noted=tuple(map(_row, noted)),
        fine=tuple(map(_row, fine)),
        facts=_facts(index) if index else (),
    )


def _say(noted: Sequence[Finding], index: IndexStatus | None) -> str:
    behind = f"{format_bytes(index.lag.bytes)} not yet indexed" if index and index.lag.bytes else ""
    notes = [plural(len(noted), "note")] if noted else []
    return "; ".join(filter(None, [*notes, behind]))


def _row(one: Finding) -> FindingRow:
    kind = _KINDS[one.grade]
    return FindingRow(kind=kind, about=one.about, text=one.said, fix=one.fix, details=one.details)


def _facts(index: IndexStatus) -> tuple[tuple[str, str], ...]:
    behind = format_bytes(index.lag.bytes) if index.lag.bytes else "nothing"
    return (
        ("Indexed", f"{plural(index.lines, 'line')} of {plural(index.sessions, 'session')}"),
        ("Not yet indexed", behind),
        ("Hook events", f"{index.hook_events:,}"),
        ("Unreadable lines", f"{index.bad_lines:,}"),
        ("Sessions forgotten", f"{index.forgotten:,}"),
        ("Deleted files kept in the archive", f"{index.gone:,}"),
        ("Index size", format_bytes(index.index_bytes)),
        ("Indexer", f"process {index.writer.pid}" if index.writer else "not running"),
    )
