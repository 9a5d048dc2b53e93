from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.source.watch import COALESCE_WINDOW, Coalescer, RecentFiles

TICK = 0.01


def told(touches: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Play touches to a loop that wakes every tick; what it tells, and when."""
    waiting: Coalescer[str] = Coalescer()
    left, found, now = sorted(touches), [], 0.0
    while left or waiting.next_due() is not None:
        while left and left[0][0] <= now:
            waiting.touch(left.pop(0)[1], now)
        for key in waiting.due(now):
            waiting.mark_reported(key, now)
            found.append((now, key))
        now += TICK
    return found


def times(count: int, every: float) -> list[tuple[float, str]]:
    return [(number * every, "a") for number in range(count)]


touching = st.lists(st.tuples(st.floats(0, 2), st.sampled_from("abc")), max_size=60)


def test_the_first_change_is_told_at_once() -> None:
    waiting: Coalescer[str] = Coalescer()
    waiting.touch("a", 7.0)

    assert waiting.due(7.0) == ["a"]


def test_a_burst_is_told_twice_at_its_beginning_and_at_its_end() -> None:
    assert len(told(times(20, every=0.004))) == 2


def test_a_steady_writer_does_not_starve() -> None:
    moments = [at for at, _ in told(times(200, every=0.02))]

    assert max(b - a for a, b in pairwise(moments)) <= 0.2


def test_changes_far_apart_are_each_told_at_once() -> None:
    moments = [at for at, _ in told(times(3, every=0.5))]

    assert moments == pytest.approx([0.0, 0.5, 1.0], abs=2 * TICK)


def test_a_false_alarm_does_not_put_off_the_next_change() -> None:
    waiting: Coalescer[str] = Coalescer()
    waiting.touch("a", 0.0)
    waiting.due(0.0)  # and nothing was told
    waiting.touch("a", 0.01)

    assert waiting.due(0.01) == ["a"]


# devtools 117
def test_whatever_comes_while_a_change_is_dealt_with_is_one_more_run() -> None:
    waiting: Coalescer[str] = Coalescer()
    waiting.mark_reported("a", 0.0)
    for moment in (0.01, 0.05, 0.3, 0.9):
        waiting.touch("a", moment)

    assert (waiting.due(1.0), waiting.due(2.0)) == (["a"], [])


def test_those_that_have_waited_longest_come_first() -> None:
    waiting: Coalescer[str] = Coalescer()
    for moment, key in ((0.0, "a"), (0.01, "b"), (0.02, "a")):
        waiting.touch(key, moment)

    assert waiting.due(0.05) == ["a", "b"]


def test_a_flood_on_one_file_does_not_hold_back_another() -> None:
    flood = times(100, every=0.005)

    assert (0.2, "b") in [(round(at, 9), key) for at, key in told([*flood, (0.2, "b")])]


@given(touching)
def test_no_change_waits_longer_than_two_hundred_milliseconds(
    touches: list[tuple[float, str]],
) -> None:
    found = told(touches)

    for at, key in touches:
        assert any(key == name and at - TICK <= moment <= at + 0.2 for moment, name in found)


@given(touching)
def test_a_key_is_never_told_twice_within_the_window(touches: list[tuple[float, str]]) -> None:
    found = told(touches)

    for key in "abc":
        moments = [at for at, name in found if name == key]
        assert all(b - a >= COALESCE_WINDOW - 1e-9 for a, b in pairwise(moments))


# devtools 116
def test_a_file_quiet_for_an_hour_is_dropped() -> None:
    recent = RecentFiles(["old"], now=0.0)
    recent.note("new", now=1_000.0)

    assert recent.paths(now=3_600.0) == ["new"]


def test_a_file_that_changes_again_stays() -> None:
    recent = RecentFiles(["a"], now=0.0)
    recent.note("a", now=3_000.0)

    assert recent.paths(now=4_000.0) == ["a"]


def test_a_file_that_is_gone_is_dropped() -> None:
    recent = RecentFiles(["a", "b"], now=0.0)
    recent.forget("a")

    assert recent.paths(now=1.0) == ["b"]


def test_of_many_files_the_newest_are_kept() -> None:
    recent = RecentFiles((f"at the start {number}" for number in range(100)), now=0.0)
    recent.note("since", now=1.0)

    paths = recent.paths(now=2.0)
    assert (len(paths), "since" in paths, "at the start 0" in paths) == (64, True, True)
    assert "at the start 63" not in paths
