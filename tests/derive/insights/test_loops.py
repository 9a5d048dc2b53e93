from typing import Any

from tests.derive.insights.facts import call
from unspool.derive.insights.loops import loops
from unspool.model.insights import CallFact


def failed(start: int, name: str = "Bash", **more: Any) -> CallFact:
    return call(name, start, "error", **more)


def test_three_failures_running_are_a_loop_with_what_they_cost() -> None:
    calls = [failed(n) for n in range(3)]
    (loop,) = loops(calls, {"Bash-0": 5, "Bash-2": 7})

    assert (loop.name, loop.times, loop.pico) == ("Bash", 3, 12)
    assert (loop.start, loop.end) == (0, 1_002)


def test_two_are_none_and_neither_are_three_with_another_in_between() -> None:
    calls = [failed(0), failed(1), call(start=2), failed(3), failed(4, "Read"), failed(5)]

    assert loops(calls, {}) == []


def test_two_agents_that_fail_in_turn_are_no_loop() -> None:
    calls = [failed(n, agent=agent) for agent in ("", "a1") for n in range(2)]

    assert loops(calls, {}) == []


def test_the_longest_comes_first() -> None:
    calls = [failed(n) for n in range(3)] + [failed(n, "Read") for n in range(4)]

    assert [loop.name for loop in loops(calls, {})] == ["Read", "Bash"]
