"""What a session cost, from its total down to one step: by cause, by turn, by step."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from heapq import nlargest
from typing import Final

from msgspec import Struct

from unspool.model.document import Turn
from unspool.model.steps import SessionStep, StepCost
from unspool.show import safe, times
from unspool.show.html.components import Number, cost_number
from unspool.show.labels import COST_CAUSES
from unspool.show.numbers import format_usd
from unspool.show.tools import registry

_KINDS: Final = {
    "prompt": "Prompt",
    "thinking": "Thinking",
    "text": "Answer",
    "agent": "Agent",
    "notice": "Error",
    "stop": "Interrupted",
    "compaction": "Compaction",
}
_TURNS: Final = 16
_STEPS: Final = 5
_PICO: Final = 10**12


class CauseShare(Struct, frozen=True):
    """One cause of a cost; `x` and `percent` are its place in the bar."""

    name: str
    text: str
    why: str
    usd: str
    x: float
    percent: float


class StepCostRow(Struct, frozen=True, kw_only=True):
    """One step of a turn with what it cost."""

    number: int
    place: str  # its element
    at: str
    text: str
    clock: str
    cost: str
    causes: tuple[CauseShare, ...]


class TurnCostRow(Struct, frozen=True, kw_only=True):
    """One turn: what it cost itself and with its agents, and its most expensive steps."""

    number: int
    place: str
    at: str = ""
    cost: Number
    own: float  # percent of the most expensive turn
    agents: float = 0.0
    causes: tuple[CauseShare, ...] = ()
    steps: tuple[StepCostRow, ...] = ()


class CostPanel(Struct, frozen=True, kw_only=True):
    """The cost of some steps of a session, or of all."""

    causes: tuple[CauseShare, ...] = ()
    turns: tuple[TurnCostRow, ...] = ()
    turns_hidden: int = 0
    beside: str = ""  # what was paid for and belongs to no step


def cost_panel(
    steps: Sequence[SessionStep],
    numbers: range,
    total: float | None = None,
    zone: tzinfo | None = None,
) -> CostPanel:
    """The steps with these numbers; `total` is what the whole session cost, to compare."""
    chosen = [(number, steps[number - 1]) for number in numbers]
    turns: dict[int, list[tuple[int, SessionStep]]] = {}
    for number, step in chosen:
        turns.setdefault(step.turn or 0, []).append((number, step))
    sums = {turn: sum(step.pico for _, step in inside) for turn, inside in turns.items()}
    most_expensive = nlargest(_TURNS, sums, key=lambda turn: sums[turn])
    top = max(sums.values(), default=0)
    beside = 0.0 if total is None else total - usd(sum(sums.values()))
    return CostPanel(
        causes=cause_shares(step.cost for _, step in chosen),
        turns=tuple(_turn(turn, turns[turn], top, zone) for turn in sorted(most_expensive)),
        turns_hidden=len(sums) - len(most_expensive),
        beside=format_usd(beside) if beside > 5e-5 else "",
    )


def turn_numbers(steps: Iterable[SessionStep]) -> dict[int, Number]:
    """What each turn cost, with the agents that were started in it."""
    return {turn: _number(inside) for turn, inside in by_turn(steps).items()}


def by_turn(steps: Iterable[SessionStep]) -> dict[int, list[SessionStep]]:
    """The steps of each turn; 0 is before the first prompt."""
    turns: dict[int, list[SessionStep]] = {}
    for step in steps:
        turns.setdefault(step.turn or 0, []).append(step)
    return turns


def steps_cost(steps: Sequence[SessionStep]) -> str:
    """What some steps cost together."""
    pico = sum(step.pico for step in steps)
    return format_usd(usd(pico), at_least=any(step.is_least for step in steps))


def _number(steps: Sequence[SessionStep]) -> Number:
    pico, agents = sum(step.pico for step in steps), sum(step.cost.agents for step in steps)
    own = f"{format_usd(usd(pico - agents))} by Claude, {format_usd(usd(agents))} by its agents."
    return Number(steps_cost(steps), own if agents else "")


def costs_by_turn(turns: Sequence[Turn]) -> CostPanel:
    """The turns alone, without their agents and steps: all that a bare document has."""
    most_expensive = nlargest(_TURNS, turns, key=lambda turn: turn.metrics.cost_usd or 0.0)
    top = max((turn.metrics.cost_usd or 0.0 for turn in most_expensive), default=0.0)
    rows = (
        TurnCostRow(
            number=turn.index,
            place=f"turn-{turn.index}",
            cost=cost_number(turn.metrics, f"turn {turn.index}"),
            own=round(100 * (turn.metrics.cost_usd or 0.0) / top, 1) if top else 0.0,
        )
        for turn in sorted(most_expensive, key=lambda turn: turn.index)
    )
    return CostPanel(turns=tuple(rows), turns_hidden=len(turns) - len(most_expensive))


def usd(pico: int) -> float:
    """Dollars."""
    return pico / _PICO


def cause_shares(costs: Iterable[StepCost]) -> tuple[CauseShare, ...]:
    """What some steps cost together, by cause."""
    sums = [sum(parts) for parts in zip(*costs, strict=True)] or [0] * len(COST_CAUSES)
    return tuple(_shares(StepCost(*sums)))


def _shares(cost: StepCost) -> Iterator[CauseShare]:
    whole, x = sum(cost), 0.0
    for name, pico in zip(StepCost._fields, cost, strict=True):
        if pico:
            percent = pico / whole * 100
            yield CauseShare(
                name,
                COST_CAUSES[name].term,
                COST_CAUSES[name].hint,
                format_usd(usd(pico)),
                round(x, 2),
                round(percent, 2),
            )
            x += percent


def _turn(
    turn: int, steps: list[tuple[int, SessionStep]], top: int, zone: tzinfo | None
) -> TurnCostRow:
    pico = sum(step.pico for _, step in steps)
    agents = sum(step.cost.agents for _, step in steps)
    first = steps[0][1]
    return TurnCostRow(
        number=turn,
        place=f"turn-{turn}",
        at=first.id,
        cost=_number([step for _, step in steps]),
        own=round((pico - agents) / top * 100, 1) if top else 0.0,
        agents=round(agents / top * 100, 1) if top else 0.0,
        causes=cause_shares(step.cost for _, step in steps),
        steps=tuple(
            _step(number, step, zone)
            for number, step in sorted(nlargest(_STEPS, steps, key=lambda one: one[1].pico))
            if step.pico
        ),
    )


def _step(number: int, step: SessionStep, zone: tzinfo | None) -> StepCostRow:
    return StepCostRow(
        number=number,
        place=step_place(step),
        at=step.id,
        text=step_label(step),
        clock="" if step.start is None else times.clock_at(step.start, zone),
        cost=format_usd(usd(step.pico), at_least=step.is_least),
        causes=tuple(_shares(step.cost)),
    )


def step_place(step: SessionStep) -> str:
    """The element of a step."""
    return f"{'chunk' if step.kind in ('prompt', 'compaction') else 'step'}-{step.id}"


def step_label(step: SessionStep) -> str:
    """A step in a word or two."""
    return _KINDS.get(step.kind) or safe.brief(registry.label(step.name), 60)
