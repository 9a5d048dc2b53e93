from datetime import UTC

from unspool.model.steps import SessionStep, StepCost
from unspool.show.html.step_range import step_range

SECOND = 1_000
STEPS = tuple(
    SessionStep(
        f"t{n}", "call", start=n * SECOND, end=n * SECOND + 500, cost=StepCost(read=n * 10**12)
    )
    for n in range(1, 6)
)


def test_a_range_says_when_how_many_and_how_much() -> None:
    made = step_range(STEPS, 2, 4, UTC)

    assert made is not None
    assert made.text == "00:00:02 – 00:00:04 · 3 steps · $9.00"
    assert (made.first_id, made.last_id) == ("t2", "t4")


def test_its_ends_may_come_in_any_order_and_lie_outside() -> None:
    back, wide = step_range(STEPS, 4, 2, UTC), step_range(STEPS, 0, 99, UTC)

    assert back is not None
    assert wide is not None
    assert (back.first, back.last) == (2, 4)
    assert list(wide.numbers) == [1, 2, 3, 4, 5]


def test_a_range_without_a_step_is_none() -> None:
    assert step_range(STEPS, 9, 12, UTC) is None
    assert step_range((), 1, 2, UTC) is None
