"""`/spend`: what was spent, when, and on what; down to the sessions, turns and steps."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from msgspec import Struct

from unspool.derive.usage.reports import daily_totals, newest_blocks
from unspool.engine import dates
from unspool.engine.usage.cost import CostQuery
from unspool.engine.usage.spending import index_totals, spend_by_hour
from unspool.model.api import CostAnswer
from unspool.model.insights import Causes
from unspool.model.usage import CostBlock, TotalRow
from unspool.serve.api.cost import answer_of
from unspool.serve.api.parameters import ProjectId, SessionId
from unspool.serve.context import ServerContext
from unspool.serve.pages.filters import (
    local_day,
    machine_choices,
    parse_day,
    project_choices,
    time_range,
)
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.serve.pages.session.source import open_source
from unspool.show import cost_json
from unspool.show.html.render import render, render_macro
from unspool.show.html.spend_days import Days, given
from unspool.show.html.spend_drill import SESSIONS, DrillSessions, session_rows, turns_part
from unspool.show.html.spend_page import (
    BLOCKS,
    SpendPage,
    SpendQuery,
    SpendReports,
    chart_period,
    spend_page,
    top_session,
)
from unspool.show.labels import model_label

_Request = Request[Any, Any, Any]
_EARLIER = 28
_EPOCH = date(1970, 1, 1).toordinal()


@get("/spend", include_in_schema=False, sync_to_thread=True)
def spend(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """One figure, a bar a day, where it went, why, and what was lost."""
    return page_response(request, _page(request, context))


@get("/part/spend", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The same without the shell, for other days."""
    page = _page(request, context)
    return html_response(request, render_macro("spend_pieces.html", "all", page, LINKS))


@get("/part/spend/sessions", include_in_schema=False, sync_to_thread=True)
def sessions(
    request: _Request,
    context: NamedDependency[ServerContext],
    first: Annotated[int, QueryParameter(ge=0, le=1_000_000)] = 0,
) -> Response[bytes]:
    """The sessions of one project, from a place on."""
    rows = _sessions(context, _Selection.of(request, context), first)
    return html_response(request, render(rows, LINKS))


@get(
    "/part/spend/turns/{project_id:str}/{session_id:str}",
    include_in_schema=False,
    sync_to_thread=True,
)
def turns(
    request: _Request,
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
) -> Response[bytes]:
    """The turns of one session, each with its most expensive steps."""
    chosen = _Selection.of(request, context)
    since, until = chosen.since or 0, chosen.until
    with open_source(context, project_id, session_id) as source:
        steps = source.session.steps(lambda at: since <= at and (until is None or at < until))
        turns = source.session.document(limit=0, bodies=False).turns
    clean = context.redactor.text
    prompts = {turn.index: clean(turn.prompt) for turn in turns}
    named = [step._replace(name=clean(step.name)) for step in steps if step.pico]
    page = turns_part(named, prompts, (project_id, session_id))
    return html_response(request, render(page, LINKS))


class _Selection(Struct, frozen=True, kw_only=True):
    """What is asked for: a window, some days of it, and checkouts; None is all of them."""

    query: SpendQuery
    today: date
    window: Days | None
    days: Days | None
    projects: tuple[str, ...] | None

    @classmethod
    def of(cls, request: _Request, context: ServerContext) -> "_Selection":
        """What the address says."""
        params, now = request.query_params, context.now()
        day, first, last = (parse_day(params.get(name, "")) for name in ("day", "from", "to"))
        first, last = day or first, day or last
        name, today = params.get("range", "")[:8] or "28", local_day(now)
        found = time_range(name, now)
        window = Days(found.first, today) if found.first else None
        days = None
        if first or last:
            ends = sorted((first or last or today, last or max(today, first or today)))
            days = Days(*ends)
            window = window and Days(min(window.first, days.first), max(window.last, days.last))
        query = SpendQuery(
            range=name,
            by=params.get("by", "")[:8],
            project=params.get("project", "")[:255],
            machine=params.get("machine", "")[:255],
            model=params.get("model", "")[:60],
            first=str(days.first) if days else "",
            last=str(days.last) if days else "",
        )
        projects = context.projects.select(query.project, query.machine)
        return cls(query=query, today=today, window=window, days=days, projects=projects)

    @property
    def chosen(self) -> Days | None:
        """The days that figures are of."""
        return self.days or self.window

    @property
    def since(self) -> int | None:
        return dates.midnight(self.chosen.first) if self.chosen else None

    @property
    def until(self) -> int | None:
        return dates.midnight(self.chosen.last, days=1) if self.chosen else None

    def totals(self, context: ServerContext, by: str, days: Days | None) -> list[TotalRow]:
        """Sums of some days, or of all time, of the model that is asked for."""
        query = CostQuery(
            by=by,
            since=dates.midnight(days.first) if days else None,
            until=dates.midnight(days.last, days=1) if days else None,
            only=self.projects,
        )
        groups = context.config.groups.current
        found = index_totals(context.store, query, context.scope.current(), groups)
        model = self.query.model
        return [one for one in found if not model or _label(one) == model]

    def within(self, totals: Iterable[TotalRow], days: Days | None) -> list[TotalRow]:
        """Those of the days."""
        if days is None:
            return list(totals)
        since, until = dates.midnight(days.first), dates.midnight(days.last, days=1)
        return [one for one in totals if since <= int(one[0]) < until]


def _label(total: TotalRow) -> str:
    return model_label(str(total[4])) or "unknown"


def _page(request: _Request, context: ServerContext) -> SpendPage:
    chosen = _Selection.of(request, context)
    around = page_shell(request, context, "Spend", "spend", "Spend")
    return spend_page(_reports(context, chosen), around, chosen.query)


def _reports(context: ServerContext, asked: _Selection) -> SpendReports:
    clean, query, window = context.redactor.value, asked.query, asked.window
    every = asked.totals(context, "hours", _wide(asked))
    chosen = asked.within(every, asked.chosen)
    by_day = daily_totals(every, dates.day_numbers(None))
    causes = _causes(context, asked, every)
    days = clean(answer_of(context, by_day, CostQuery()))
    projects, earlier = _projects(context, asked)
    top = _report(context, asked, "session", asked.days) if asked.days else CostAnswer()
    keys = [(one.project_id, one.session_id) for one in causes.worst_breaks]
    keys += [(str(row.project_id), str(row.session_id)) for row in given(top.sessions)[:1]]
    names = _names(context, keys)
    return SpendReports(
        periods=clean(
            answer_of(context, asked.within(by_day, window), CostQuery(by=chart_period(query)))
        ),
        chosen=clean(answer_of(context, chosen, CostQuery(by="model"))) if asked.days else None,
        days={str(row.date): row.total_cost or 0.0 for row in given(days.daily)},
        window=window,
        days_chosen=asked.days,
        today=asked.today,
        projects=projects,
        projects_earlier=earlier,
        sessions=_sessions(context, asked) if query.project else None,
        top=top_session(clean(top), names),
        blocks=_blocks(newest_blocks(chosen, context.now(), BLOCKS)),
        causes=clean(causes),
        hours=spend_by_hour(chosen),
        names=names,
        choices=project_choices(context),
        machines=machine_choices(context),
    )


def _blocks(found: Sequence[CostBlock]) -> CostAnswer:
    return msgspec.convert(cost_json.blocks_document(found, None, None), CostAnswer)


def _wide(asked: _Selection) -> Days | None:
    """The window with what it is compared to, the month so far, and the last four weeks."""
    if asked.window is None:
        return None
    today, before = asked.today, timedelta(_EARLIER)
    first = min(asked.window.first - before, today.replace(day=1), today - before)
    return Days(first, max(asked.window.last, today))


def _causes(context: ServerContext, asked: _Selection, totals: list[TotalRow]) -> Causes:
    models = tuple(sorted({str(one[4]) for one in totals})) if asked.query.model else None
    return context.insights.causes(
        _numbers(asked.window), asked.projects, models, chosen=_numbers(asked.days)
    )


def _numbers(days: Days | None) -> tuple[int, int] | None:
    return days and (days.first.toordinal() - _EPOCH, days.last.toordinal() - _EPOCH)


def _projects(context: ServerContext, asked: _Selection) -> tuple[CostAnswer, CostAnswer]:
    if asked.query.project:  # its sessions are shown instead
        return CostAnswer(), CostAnswer()
    now = _report(context, asked, "project", asked.chosen)
    before = asked.chosen.earlier(_EARLIER) if asked.chosen else None
    earlier = _report(context, asked, "project", before) if before else CostAnswer()
    return context.redactor.value(now), context.redactor.value(earlier)


def _sessions(context: ServerContext, asked: _Selection, first: int = 0) -> DrillSessions:
    report = _report(context, asked, "session", asked.chosen)
    rows = [row for row in given(report.sessions) if row.total_cost != 0]
    keys = [(str(row.project_id), str(row.session_id)) for row in rows[first : first + SESSIONS]]
    clean = context.redactor.value
    return session_rows(clean(report), _names(context, keys), asked.query, first)


def _report(context: ServerContext, asked: _Selection, by: str, days: Days | None) -> CostAnswer:
    return answer_of(context, asked.totals(context, by, days), CostQuery(by=by))


def _names(context: ServerContext, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What some sessions are called."""
    rows = (row for id in {id for _, id in keys} for row in context.scope.sessions(id))
    clean = context.redactor.text
    return {(row.project_id, row.session_id): clean(row.title or row.goal) for row in rows}
