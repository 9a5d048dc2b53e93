"""The board when nothing runs: what was worked on last, yesterday, and the week."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from msgspec import Struct, field

from unspool.model.insights import ActivityStrip
from unspool.model.session import SessionSummary
from unspool.show import safe
from unspool.show.charts.spool import Spool, SpoolCache
from unspool.show.html.components import (
    SPOOL_ENDS,
    cost_number,
    project_label,
    row_id,
    session_title,
)
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.times import clock, duration, moment

_WEEK: Final = 7
_HIGHEST: Final = 48  # pixels of the highest bar
_FLOOR: Final = 72


class RecentItem(Struct, frozen=True, kw_only=True):
    """A session that was worked on lately, and how to go on with it."""

    id: str
    project_id: str
    session_id: str
    day: str
    clock: str
    title: str
    place: str
    last_words: str
    resume: str
    cost: str
    why: str
    spool: Spool | None


class WeekBar(Struct, frozen=True, kw_only=True):
    """One day of the week; `date` is empty for one that is still to come."""

    name: str
    date: str
    dollars: str
    label: str
    x: float
    y: int
    height: int


class Yesterday(Struct, frozen=True, kw_only=True):
    """What the index has of the day before."""

    sessions: int = 0
    usd: float | None = 0.0
    calls: int = 0
    failed: int = 0
    waited: int = 0  # calls
    waited_ms: int = 0


class QuietFacts(Struct, frozen=True, kw_only=True):
    """What a quiet day is made of; `days` are dollars, fourteen of them, today last."""

    now: int
    recent: Sequence[SessionSummary] = ()
    strips: Mapping[str, ActivityStrip] = {}
    spools: SpoolCache = field(default_factory=SpoolCache)
    days: Sequence[float] = (0.0,) * (2 * _WEEK)
    yesterday: Yesterday = Yesterday()
    zone: tzinfo | None = None


class QuietDay(Struct, frozen=True, kw_only=True):
    rows: tuple[RecentItem, ...]
    last: str  # when the last of them ended, in words
    week: str
    delta: str
    bars: tuple[WeekBar, ...]
    yesterday: tuple[tuple[str, str], ...]
    yesterday_date: str


def quiet_day(facts: QuietFacts) -> QuietDay:
    """Sums of days that are not over are called so."""
    today = datetime.fromtimestamp(facts.now / 1_000, UTC).astimezone(facts.zone).date()
    rows = tuple(_recent(one, today, facts) for one in facts.recent)
    days = facts.days[-(today.weekday() + 1) :]
    return QuietDay(
        rows=rows,
        last=f"last activity {rows[0].day} {rows[0].clock}" if rows else "",
        week=format_usd(sum(days)),
        delta=_delta(facts.days, today.weekday()),
        bars=tuple(_bars(days, today)),
        yesterday=tuple(_yesterday(facts.yesterday)),
        yesterday_date=(today - timedelta(days=1)).isoformat(),
    )


def _recent(one: SessionSummary, today: date, facts: QuietFacts) -> RecentItem:
    session, key = one.session, f"{one.session.project_id}/{one.session.id}"
    strip, at = facts.strips.get(key), moment(one.last_activity, facts.zone)
    title, cost = session_title(session), cost_number(one.metrics)
    ends = SPOOL_ENDS[session.status.state]
    return RecentItem(
        id=row_id(session),
        project_id=session.project_id,
        session_id=session.id,
        day=_day_name(at.date(), today) if at else "",
        clock=clock(one.last_activity, facts.zone),
        title=title,
        place=project_label(session),
        last_words=safe.brief(session.recent_output or ""),
        resume=f"claude --resume {session.id}",
        cost=cost.text,
        why=cost.why,
        spool=facts.spools.draw(key, strip, "row", ends, title) if strip else None,
    )


def _day_name(day: date, today: date) -> str:
    past = (today - day).days
    if past in (0, 1):
        return ("today", "yesterday")[past]
    return f"{day:%A}" if 1 < past < _WEEK else f"{day.day} {day:%b %Y}"


def _delta(days: Sequence[float], weekday: int) -> str:
    """This week compared with the same days last week; a day without work yet is left out."""
    count = weekday + (1 if days[-1] else 0)
    if not count:
        return f"{format_usd(sum(days[-_WEEK - 1 : -1]))} last week"
    end = len(days) - (0 if days[-1] else 1)
    now, before = sum(days[end - count : end]), sum(days[end - count - _WEEK : end - _WEEK])
    if not before:
        return f"{format_usd(0.0)} on the same days last week"
    change = round((now / before - 1) * 100)
    sign = "+" if change > 0 else "−" if change < 0 else "±"
    return f"{sign}{format_count(abs(change))} % compared with the same days last week"


def _bars(days: Sequence[float], today: date) -> list[WeekBar]:
    monday, most = today - timedelta(days=today.weekday()), max(days) or 1.0
    bars = []
    for n in range(_WEEK):
        day, spent = monday + timedelta(days=n), days[n] if n < len(days) else 0.0
        height = max(round(spent / most * _HIGHEST), 2)
        bars.append(
            WeekBar(
                name=f"{day:%a}",
                date=day.isoformat() if n < len(days) else "",
                dollars=f"${spent:.0f}" if spent >= 0.5 else "",
                label=f"{day:%A}, {format_usd(spent)}",
                x=round(n * 100 / _WEEK, 2),
                y=_FLOOR - height,
                height=height,
            )
        )
    return bars


def _yesterday(facts: Yesterday) -> list[tuple[str, str]]:
    rows = [("Sessions", f"{facts.sessions}"), ("Spent", format_usd(facts.usd))]
    if facts.calls:
        rows.append(("Tool calls", f"{facts.calls:,}, {facts.failed:,} failed"))
    if facts.waited:
        took = f"{duration(facts.waited_ms)} in {plural(facts.waited, 'call')}"
        rows.append(("Waited for you", took))
    return rows
