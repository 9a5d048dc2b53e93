"""The list of sessions, by day."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from datetime import date as Date
from itertools import groupby
from typing import ClassVar, Final

from msgspec import Struct, field, structs

from unspool.model.api import ProjectSummary
from unspool.model.insights import ActivityStrip
from unspool.model.session import SessionSummary
from unspool.model.usage import Spend
from unspool.remote_paths import machine_in
from unspool.show import safe
from unspool.show.charts.spool import Spool, SpoolCache
from unspool.show.html.components import (
    SPOOL_ENDS,
    STATUS_KINDS,
    CheckoutLink,
    branch_label,
    checkout_links,
    project_label,
    row_id,
    session_title,
    summed_usd,
)
from unspool.show.html.shell import Shell
from unspool.show.labels import cost_label, model_label
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.times import ago, clock, coming, date, duration, moment


class SessionListQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the list."""

    q: str = ""
    status: str = ""
    project: str = ""
    branch: str = ""
    model: str = ""
    machine: str = ""
    since: str = ""
    until: str = ""
    least: str = ""
    sort: str = ""
    show: str = ""  # pinned, hidden, or all that is not hidden
    separate: str = ""  # of a project, the checkout of its id alone
    cursor: str = ""  # where these rows begin
    more: str = ""  # where the rows after these begin

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters of the first page with some of them changed."""
        return structs.asdict(structs.replace(self, **{"cursor": "", "more": "", **changed}))

    @property
    def is_narrow(self) -> bool:
        """Whether any filter is set."""
        return any(self.but(sort="", separate="").values())


class FilterChoices(Struct, frozen=True, kw_only=True):
    """Options of the filters: value and label."""

    projects: tuple[tuple[str, str], ...] = ()
    branches: tuple[tuple[str, str], ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    machines: tuple[tuple[str, str], ...] = ()  # where there are several


class SessionListRow(Struct, frozen=True, kw_only=True):
    id: str
    project_id: str
    session_id: str
    kind: str
    since: str  # when it was last active, or until when a limit stops it
    title: str
    place: str
    machine: str  # where there are several
    branch: str
    model: str
    agents: int | None
    errors: int
    compactions: int | None
    started: str | None
    clock: str
    length: str
    cost: str
    why: str
    spool: Spool | None
    is_gone: bool
    is_pinned: bool
    is_hidden: bool
    resume: str


class SessionDay(Struct, frozen=True):
    """Rows under one heading; `date` is that of a day whose own spend is known."""

    name: str
    summary: str
    rows: tuple[SessionListRow, ...]
    date: str = ""
    spent: str = ""


class StatusChoice(Struct, frozen=True):
    """A status to filter by, and how many sessions have it."""

    value: str
    name: str
    count: str


class SessionsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "sessions.html"
    shell: Shell
    query: SessionListQuery
    title: str
    summary: str
    statuses: tuple[StatusChoice, ...]
    ascending: tuple[str, ...]
    sorts: tuple[tuple[str, str], ...]
    choices: FilterChoices
    days: tuple[SessionDay, ...]
    shown: int
    project: str = ""  # the only one it lists
    facts: tuple[str, ...] = ()
    checkouts: tuple[CheckoutLink, ...] = ()


FILTERS: Final = (
    ("", "All"),
    ("waiting_for_approval", "Needs approval"),
    ("failed", "Failed"),
    ("limited", "Usage limit"),
    ("working", "Working"),
    ("waiting_for_input", "Waiting for prompt"),
    ("idle", "Idle"),
    ("ended", "Ended"),
)
SORTS: Final = (
    ("", "Last activity"),
    ("started", "Started"),
    ("length", "Length"),
    ("cost", "Cost"),
    ("tokens", "Tokens"),
    ("agents", "Agents"),
    ("title", "Title"),
    ("project", "Project"),
    ("status", "Status"),
)
_BY_DAY: Final = ("", "started")
_ASCENDING: Final = ("title", "project", "status")
_QUIET: Final = ("idle", "ended")


class SessionListContext(Struct, frozen=True, kw_only=True):
    """Other data of the list; strips are keyed by `project/session`."""

    now: int
    strips: Mapping[str, ActivityStrip] = {}
    spools: SpoolCache = field(default_factory=SpoolCache)
    choices: FilterChoices = FilterChoices()
    machine_of: Callable[[str], str] = machine_in  # by the id of a project
    pinned: Sequence[SessionSummary] = ()
    project: ProjectSummary | None = None
    total: int | None = None  # how many the filters leave; None: not counted
    statuses: Mapping[str, int] = {}  # the same by status, whichever was chosen
    scanned: int | None = None  # only the newest so many were looked at; None: all
    spent: Mapping[str, Spend] | None = None  # by day; None: not that of the rows that are shown
    zone: tzinfo | None = None


def sessions_page(
    rows: Sequence[SessionSummary],
    shell: Shell,
    query: SessionListQuery,
    context: SessionListContext,
) -> SessionsPage:
    """Rows in the given order, grouped by day."""
    pinned_ids = {(one.session.project_id, one.session.id) for one in context.pinned}
    rest = [row for row in rows if (row.session.project_id, row.session.id) not in pinned_ids]
    pinned = [_group("Pinned", context.pinned, context)] if context.pinned else []
    count = len(rest) + len(context.pinned)
    return SessionsPage(
        shell=shell,
        query=query,
        title=_title(context.project),
        summary=_summary(count, query, context),
        statuses=tuple(_statuses(query, context)),
        ascending=_ASCENDING,
        sorts=SORTS,
        choices=context.choices,
        days=(*pinned, *_days(rest, query, context)),
        shown=count,
        project=context.project.id if context.project else "",
        facts=_facts(context.project, context) if context.project else (),
        checkouts=checkout_links(context.project) if context.project else (),
    )


def _summary(count: int, query: SessionListQuery, context: SessionListContext) -> str:
    """`50 of 2,010 sessions`."""
    total = context.statuses.get(query.status, 0) if query.status else context.total
    if total is None:
        return plural(count, "session") + (" so far" if query.more or query.cursor else "")
    if context.scanned is not None:
        among = f"the newest {context.scanned:,} sessions"
        return f"{total:,} sessions of {among}" if query.is_narrow else f"{count} of {among}"
    return plural(total, "session") if count >= total else f"{count} of {plural(total, 'session')}"


def _statuses(query: SessionListQuery, context: SessionListContext) -> Iterator[StatusChoice]:
    """Those that some session has, or the one that was chosen."""
    if context.total is None:
        return
    for value, name in FILTERS:
        count = context.statuses.get(value, 0) if value else context.total
        if not value or count or value == query.status:
            more = "+" if context.scanned is not None else ""
            yield StatusChoice(value, name, f"{count:,}{more}")


def _title(project: ProjectSummary | None) -> str:
    return safe.brief(project.name or project.id, 100) if project else "Sessions"


def _facts(project: ProjectSummary, context: SessionListContext) -> tuple[str, ...]:
    spent = project.metrics
    facts = (
        safe.brief(project.path, 200),
        plural(project.sessions, "session"),
        cost_label(spent),
        f"{format_count(spent.total_tokens)} tokens",
        f"last active {ago(project.last_activity, context.now, context.zone)}",
    )
    return tuple(filter(None, facts))


def _days(
    rows: Sequence[SessionSummary], query: SessionListQuery, context: SessionListContext
) -> tuple[SessionDay, ...]:
    if query.sort not in _BY_DAY:
        names = dict(SORTS)
        return (_group(f"By {names[query.sort].lower()}", rows, context),) if rows else ()
    groups = groupby(rows, key=lambda row: row_day(row, query, context.zone))
    return tuple(_day(day, list(group), query, context) for day, group in groups)


def row_day(row: SessionSummary, query: SessionListQuery, zone: tzinfo | None) -> Date | None:
    """The day under which a session is listed; None where rows do not stand by day."""
    at = moment(_at(row, query), zone) if query.sort in _BY_DAY else None
    return at.date() if at else None


def _at(row: SessionSummary, query: SessionListQuery) -> str | None:
    return row.session.start_time if query.sort else row.last_activity or row.session.start_time


def _day(
    day: Date | None,
    rows: Sequence[SessionSummary],
    query: SessionListQuery,
    context: SessionListContext,
) -> SessionDay:
    if day is None:
        return _group("No date", rows, context)
    today = datetime.fromtimestamp(context.now / 1_000, UTC).astimezone(context.zone).date()
    names = {today: "Today, ", today - timedelta(days=1): "Yesterday, "}
    name = names.get(day, "") + date(_at(rows[0], query), context.now, context.zone)
    if context.spent is None:
        return _group(name, rows, context)
    spent = context.spent.get(str(day), Spend())
    cost = format_usd(spent.usd, at_least=spent.is_least)
    shown = tuple(_row(row, context) for row in rows)
    return SessionDay(name, plural(len(rows), "session"), shown, str(day), cost)


def _group(name: str, rows: Sequence[SessionSummary], context: SessionListContext) -> SessionDay:
    """What these sessions cost, each all its days."""
    cost = summed_usd([row.metrics for row in rows])
    summary = f"{plural(len(rows), 'session')}, {cost} in total"
    return SessionDay(name, summary, tuple(_row(row, context) for row in rows))


def _row(row: SessionSummary, context: SessionListContext) -> SessionListRow:
    one, state, spent = row.session, row.session.status.state, row.metrics
    key = f"{one.project_id}/{one.id}"
    strip = context.strips.get(key)
    label = f"{session_title(one)}: {state.replace('_', ' ')}"
    return SessionListRow(
        id=row_id(one),
        project_id=one.project_id,
        session_id=one.id,
        kind=STATUS_KINDS[state],
        since=_since(row, context),
        title=session_title(one),
        place=project_label(one),
        machine=dict(context.choices.machines).get(context.machine_of(one.project_id), ""),
        branch=branch_label(one),
        model=model_label(one.model),
        agents=row.agents,
        errors=sum(call.failed for call in strip.calls) if strip else 0,
        compactions=row.compactions,
        started=one.start_time,
        clock=clock(one.start_time, context.zone),
        length=duration(one.duration_ms),
        cost=cost_label(spent),
        why=_why(row),
        spool=context.spools.draw(key, strip, "row", SPOOL_ENDS[state], label) if strip else None,
        is_gone=row.source_gone,
        is_pinned=row.pinned,
        is_hidden=row.hidden,
        resume=f"claude --resume {one.id}",
    )


def _since(row: SessionSummary, context: SessionListContext) -> str:
    """When it was last active, if that is all there is to say; of a limit, when it is reset."""
    status = row.session.status
    if status.state in _QUIET:
        return ago(row.last_activity, context.now, context.zone)
    reset = coming(status.until, context.now, context.zone)
    return f"resets {reset}" if reset else ""


def _why(row: SessionSummary) -> str:
    spent = row.metrics
    parts = [f"{spent.total_tokens:,} tokens", model_label(row.session.model)]
    parts += [plural(spent.message_count, "message")] if spent.message_count else []
    parts += [f"no price for {', '.join(spent.unpriced)}"] if spent.unpriced else []
    return ", ".join(filter(None, parts))
