"""The drill-down of the spend page: projects, their sessions, their turns, and steps."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import ClassVar, Final, Protocol

from msgspec import UNSET, Struct

from unspool.model.api import CostAnswer, CostItem
from unspool.model.steps import SessionStep
from unspool.show import safe
from unspool.show.html.cost_panel import by_turn, step_label, step_place, steps_cost, usd
from unspool.show.labels import title_label
from unspool.show.numbers import format_usd, plural
from unspool.show.paths import file_name
from unspool.show.times import clock_at, moment

SESSIONS: Final = 30
_STEPS: Final = 5


class DrillRow(Struct, frozen=True, kw_only=True):
    """A project or a session; `delta` is compared with four weeks earlier, or when it was."""

    name: str
    cost: str
    percent: float
    delta: str = ""
    project: str = ""
    session: str = ""


class DrillSessions(Struct, frozen=True, kw_only=True):
    """Sessions, the most expensive first; `more` is where the next begin, 0 at the end."""

    template: ClassVar[str] = "spend_sessions.html"
    query: "Parameters"
    rows: tuple[DrillRow, ...]
    more: int = 0
    others: str = ""


class Parameters(Protocol):
    """The query of the page."""

    def but(self, **changed: str) -> dict[str, str]: ...


class DrillStep(Struct, frozen=True, kw_only=True):
    name: str
    cost: str
    percent: float
    clock: str
    at: str
    place: str


class DrillTurn(Struct, frozen=True, kw_only=True):
    number: int  # 0: in no turn
    text: str
    cost: str
    percent: float
    agents: str
    steps: tuple[DrillStep, ...]
    steps_hidden: str


class TurnsPart(Struct, frozen=True, kw_only=True):
    """The turns of one session."""

    template: ClassVar[str] = "spend_turns.html"
    project: str
    session: str
    turns: tuple[DrillTurn, ...]


def project_rows(
    projects: CostAnswer, earlier: CostAnswer, names: Mapping[str, str]
) -> tuple[DrillRow, ...]:
    """Every project with a cost, the most expensive first."""
    before = {_text(row.project_id): row.total_cost or 0.0 for row in _rows(earlier.projects)}
    rows = [row for row in _rows(projects.projects) if row.total_cost != 0]
    most = max((row.total_cost or 0.0 for row in rows), default=0.0) or 1.0
    return tuple(
        DrillRow(
            name=_project_name(row, names),
            cost=format_usd(row.total_cost, at_least=row.lower_bound or bool(row.unpriced)),
            percent=round((row.total_cost or 0.0) / most * 100, 1),
            delta=change(row.total_cost or 0.0, before.get(_text(row.project_id), 0.0)),
            project=_text(row.project_id),
        )
        for row in rows
    )


def session_rows(
    sessions: CostAnswer, titles: Mapping[tuple[str, str], str], query: Parameters, first: int = 0
) -> DrillSessions:
    """Some sessions from a place on."""
    rows = [row for row in _rows(sessions.sessions) if row.total_cost != 0]
    most = max((row.total_cost or 0.0 for row in rows), default=0.0) or 1.0
    rest = rows[first + SESSIONS :]
    left = format_usd(sum(row.total_cost or 0.0 for row in rest))
    return DrillSessions(
        query=query,
        rows=tuple(_session(row, most, titles) for row in rows[first : first + SESSIONS]),
        more=first + SESSIONS if rest else 0,
        others=f"{plural(len(rest), 'other')}, {left}" if rest else "",
    )


def _session(row: CostItem, most: float, titles: Mapping[tuple[str, str], str]) -> DrillRow:
    project, session = _text(row.project_id), _text(row.session_id)
    last = row.last_activity if isinstance(row.last_activity, str) else ""
    at = moment(last)
    return DrillRow(
        name=title_label(titles.get((project, session), session)),
        cost=format_usd(row.total_cost, at_least=row.lower_bound or bool(row.unpriced)),
        percent=round((row.total_cost or 0.0) / most * 100, 1),
        delta=f"{at.day} {at:%b}" if at else "",
        project=project,
        session=session,
    )


def turns_part(
    steps: Sequence[SessionStep],
    prompts: Mapping[int, str],
    key: tuple[str, str],
    zone: tzinfo | None = None,
) -> TurnsPart:
    """The turns in their order; each step has cost something."""
    turns = by_turn(steps)
    most = max((sum(step.pico for step in inside) for inside in turns.values()), default=0)
    return TurnsPart(
        project=key[0],
        session=key[1],
        turns=tuple(
            _turn(index, prompts.get(index, ""), turns[index], most, zone)
            for index in sorted(turns)
        ),
    )


def _turn(
    index: int, prompt: str, steps: Sequence[SessionStep], most: int, zone: tzinfo | None
) -> DrillTurn:
    pico, agents = sum(step.pico for step in steps), sum(step.cost.agents for step in steps)
    order = sorted(steps, key=lambda step: (-step.pico, step.line))
    rest = order[_STEPS:]
    return DrillTurn(
        number=index,
        text=safe.brief(prompt, 160) or ("No prompt" if index else "Before the first prompt"),
        cost=steps_cost(steps),
        percent=round(pico / most * 100, 1),
        agents=f"agents {format_usd(usd(agents))}" if agents else "",
        steps=tuple(_step(step, order[0].pico, zone) for step in order[:_STEPS]),
        steps_hidden=f"{plural(len(rest), 'other step')},"
        f" {format_usd(usd(sum(step.pico for step in rest)))}"
        if rest
        else "",
    )


def _step(step: SessionStep, most: int, zone: tzinfo | None) -> DrillStep:
    return DrillStep(
        name=step_label(step),
        cost=format_usd(usd(step.pico), at_least=step.is_least),
        percent=round(step.pico / most * 100, 1),
        clock="" if step.start is None else clock_at(step.start, zone),
        at=step.id,
        place=step_place(step),
    )


def change(now: float, before: float) -> str:
    """By how many percent it is more or less; nothing where nothing was spent before."""
    if not before:
        return ""
    if now / before >= 10:
        return f"×{now / before:,.0f}"
    percent = round((now / before - 1) * 100)
    return f"{'+' if percent > 0 else '−' if percent < 0 else '±'}{abs(percent):,} %"


def _project_name(row: CostItem, names: Mapping[str, str]) -> str:
    project, path = _text(row.project_id), _text(row.project_path)
    return safe.brief(names.get(project) or file_name(path) or project or "no project", 100)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _rows(rows: Iterable[CostItem] | object) -> tuple[CostItem, ...]:
    return () if rows is UNSET else tuple(rows)  # type: ignore[arg-type]
