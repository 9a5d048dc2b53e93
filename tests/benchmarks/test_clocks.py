from functools import partial

from benchmarks.clocks import Time, interleaved, shortest


def test_works_are_timed_in_turn() -> None:
    ran: list[str] = []
    times = interleaved({"a": partial(ran.append, "a"), "b": partial(ran.append, "b")}, 3)

    assert ran == ["a", "b"] * 3
    assert times.keys() == {"a", "b"}


def test_the_least_disturbed_run_counts_on_each_clock() -> None:
    assert shortest([Time(2.0, 9.0), Time(3.0, 4.0)]) == Time(2.0, 4.0)
