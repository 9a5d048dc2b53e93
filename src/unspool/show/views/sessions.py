"""Rows of the list of sessions -> its page: by day, each with its spool, its marks, its cost."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import groupby
from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.listing import SessionSummary
from unspool.show.charts.spool import Spool, spool
from unspool.show.charts.tape import Tape
from unspool.show.money import format_usd, plural
from unspool.show.times import clock, date, duration, moment
from unspool.show.views.shell import Shell
from unspool.show.views.signs import ENDS, KINDS, branch, named, place


class Asked(Struct, frozen=True, kw_only=True):
    """How the list is looked at."""

    needle: str = ""
    status: str = ""
    project: str = ""
    more: str = ""  # where the rows after these begin


class Row(Struct, frozen=True, kw_only=True):
    project_id: str
    session_id: str
    kind: str
    title: str
    place: str
    branch: str
    agents: int
    compactions: int
    started: str | None
    clock: str
    length: str
    cost: str
    why: str
    spool: Spool | None
    is_gone: bool


class Day(Struct, frozen=True):
    name: str
    say: str
    rows: tuple[Row, ...]


class SessionsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "sessions.html"
    shell: Shell
    asked: Asked
    say: str
    filters: tuple[tuple[str, str], ...]
    days: tuple[Day, ...]
    shown: int


FILTERS: Final = (
    ("", "All"),
    ("waiting_for_approval", "Waits for you"),
    ("working", "At work"),
    ("waiting_for_input", "Your turn"),
    ("idle", "Idle"),
    ("ended", "Ended"),
)


def sessions_page(
    rows: Sequence[SessionSummary],
    shell: Shell,
    now: int,
    asked: Asked | None = None,
    tapes: Mapping[str, Tape] | None = None,
    zone: tzinfo | None = None,
) -> SessionsPage:
    """Rows as they were given, newest first, under the days they began on."""
    asked, found = asked or Asked(), tapes or {}
    groups = groupby(rows, key=lambda row: _day(row, now, zone))
    days = (_group(name, list(group), found, zone) for name, group in groups)
    return SessionsPage(
        shell=shell,
        asked=asked,
        say=plural(len(rows), "session") + (" so far" if asked.more else ""),
        filters=FILTERS,
        days=tuple(days),
        shown=len(rows),
    )


def _day(row: SessionSummary, now: int, zone: tzinfo | None) -> str:
    at = moment(row.session.start_time, zone)
    if at is None:
        return "No time known"
    today = datetime.fromtimestamp(now / 1_000, UTC).astimezone(zone).date()
    names = {today: "Today, ", today - timedelta(days=1): "Yesterday, "}
    return names.get(at.date(), "") + date(row.session.start_time, now, zone)


def _group(
    name: str, rows: Sequence[SessionSummary], tapes: Mapping[str, Tape], zone: tzinfo | None
) -> Day:
    priced = [row.metrics.cost_usd for row in rows if row.metrics.cost_usd is not None]
    said = f"{plural(len(rows), 'session')}, {format_usd(sum(priced))}"
    return Day(name, said, tuple(_row(row, tapes, zone) for row in rows))


def _row(row: SessionSummary, tapes: Mapping[str, Tape], zone: tzinfo | None) -> Row:
    one, state = row.session, row.session.status.state
    tape = tapes.get(f"{one.project_id}/{one.id}")
    spent = row.metrics
    return Row(
        project_id=one.project_id,
        session_id=one.id,
        kind=KINDS[state],
        title=named(one),
        place=place(one),
        branch=branch(one),
        agents=row.agents,
        compactions=row.compactions,
        started=one.start_time,
        clock=clock(one.start_time, zone),
        length=duration(one.duration_ms),
        cost=format_usd(spent.cost_usd, at_least=spent.lower_bound),
        why=f"{spent.total_tokens:,} tokens in {plural(spent.message_count, 'message')}",
        spool=spool(tape, "row", ENDS[state], f"{named(one)}: {state}") if tape else None,
        is_gone=row.source_gone,
    )
