"""Costs of a session from the total down to a step: every level adds up to the one above."""

from unspool.model.steps import SessionStep, StepCost
from unspool.show.html.cost_panel import cost_panel, turn_numbers

DOLLAR = 10**12


def step(number: int, turn: int, read: int = 0, agents: int = 0, **more: object) -> SessionStep:
    cost = StepCost(read=read * DOLLAR, agents=agents * DOLLAR)
    return SessionStep(f"t{number}", "call", turn=turn, name="Bash", cost=cost, **more)  # type: ignore[arg-type]


STEPS = (step(1, 1, read=1), step(2, 1, read=2, agents=3), step(3, 2, read=4))


def test_a_turn_costs_what_its_steps_and_their_agents_do() -> None:
    panel = cost_panel(STEPS, range(1, 4))

    assert [(turn.number, turn.cost.text) for turn in panel.turns] == [(1, "$6.00"), (2, "$4.00")]
    assert panel.turns[0].cost.why == "$3.00 by Claude, $3.00 by its agents."
    assert (panel.turns[0].own, panel.turns[0].agents) == (50.0, 50.0)


def test_causes_are_of_all_steps_and_fill_the_bar() -> None:
    panel = cost_panel(STEPS, range(1, 4))

    assert [(one.text, one.usd, one.x, one.percent) for one in panel.causes] == [
        ("Cache reads", "$7.00", 0.0, 70.0),
        ("Agents", "$3.00", 70.0, 30.0),
    ]


def test_the_most_expensive_steps_of_a_turn_stand_in_their_order() -> None:
    steps = tuple(step(n, 1, read=n) for n in range(1, 9))

    (turn,) = cost_panel(steps, range(1, 9)).turns

    assert [one.number for one in turn.steps] == [4, 5, 6, 7, 8]
    assert turn.steps[0].place == "step-t4"


def test_a_range_has_its_own_steps_alone() -> None:
    panel = cost_panel(STEPS, range(2, 3))

    assert [(turn.number, turn.cost.text) for turn in panel.turns] == [(1, "$5.00")]


def test_what_belongs_to_no_step_is_told() -> None:
    assert cost_panel(STEPS, range(1, 4), total=12.5).beside == "$2.50"
    assert cost_panel(STEPS, range(1, 4), total=10.0).beside == ""


def test_a_turn_with_an_unfinished_response_cost_at_least_that() -> None:
    (turn,) = cost_panel((step(1, 1, read=1, is_least=True),), range(1, 2)).turns

    assert turn.cost.text == turn.steps[0].cost == "≥ $1.00"


def test_the_outline_has_the_same_cost_of_a_turn() -> None:
    numbers = turn_numbers(STEPS)

    assert {turn.number: turn.cost for turn in cost_panel(STEPS, range(1, 4)).turns} == numbers
