"""The axis of a session: work is linear, pauses are folded, nothing overlaps."""

from datetime import UTC
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from unspool.show.charts.time_axis import time_axis

MINUTE = 60_000
HOUR = 60 * MINUTE
spans = st.lists(
    st.tuples(st.integers(0, 10**8), st.integers(0, 10**7)).map(lambda one: (one[0], sum(one))),
    min_size=1,
    max_size=40,
)


def test_without_a_pause_the_axis_is_linear() -> None:
    axis = time_axis([(0, 2 * MINUTE), (4 * MINUTE, 10 * MINUTE)])

    assert axis is not None
    assert [axis.at(minute * MINUTE) for minute in (0, 5, 10)] == [0.0, 0.5, 1.0]


def test_a_long_pause_takes_little_room() -> None:
    axis = time_axis([(0, 10 * MINUTE), (5 * HOUR, 5 * HOUR + 10 * MINUTE)])

    assert axis is not None
    assert [(one.fold, round(one.right - one.left, 3)) for one in axis.segments] == [
        ("", 0.49),
        ("pause", 0.02),
        ("", 0.49),
    ]


def test_three_minutes_are_not_folded_and_a_millisecond_more_is() -> None:
    short = time_axis([(0, 1), (180_001, 180_002)])
    long = time_axis([(0, 1), (180_002, 180_003)])

    assert short is not None
    assert long is not None
    assert (len(short.segments), len(long.segments)) == (1, 3)


def test_a_wait_for_a_person_is_folded_only_if_it_is_long() -> None:
    running = [(0, HOUR)]
    short, long = (time_axis(running, [(0, minutes * MINUTE)]) for minutes in (10, 11))

    assert short is not None
    assert long is not None
    assert [one.fold for one in short.segments] == [""]
    assert [one.fold for one in long.segments] == ["wait", ""]


def test_many_folds_leave_room_for_work() -> None:
    axis = time_axis([(n * HOUR, n * HOUR + MINUTE) for n in range(200)])

    assert axis is not None
    work = sum(one.right - one.left for one in axis.segments if not one.fold)
    assert work > 0.6


def test_nothing_has_no_axis() -> None:
    assert time_axis([]) is None


@given(spans, spans)
@example(
    [(0, 51), (180_052, 180_052), (360_053, 360_053), (540_054, 540_055), (720_056, 720_056)], []
)  # whose widths add up to a little more than 1
def test_segments_cover_everything_in_order(
    active: list[tuple[int, int]], waits: list[tuple[int, int]]
) -> None:
    axis = time_axis(active, waits)

    assert axis is not None
    ends = [(one.end, one.right) for one in axis.segments]
    assert [(one.start, one.left) for one in axis.segments[1:]] == ends[:-1]
    assert axis.segments[0].left == 0.0
    assert ends[-1][1] == 1.0
    places = [axis.at(moment) for one in sorted(active) for moment in one[:1]]
    assert places == sorted(places)
    assert all(0.0 <= place <= 1.0 for place in places)


def test_ticks_are_round_times_and_say_how_long_a_fold_is() -> None:
    axis = time_axis([(0, 50 * MINUTE), (3 * HOUR, 3 * HOUR + 50 * MINUTE)])

    assert axis is not None
    assert [one.text for one in axis.ticks(UTC)] == [
        *("00:00", "00:15", "00:30", "⋯ 2 h 10 min", "03:15", "03:30", "03:45"),
    ]


@given(spans)
def test_words_below_the_axis_do_not_touch(active: list[tuple[int, int]]) -> None:
    axis = time_axis(active)

    assert axis is not None
    places = [one.x for one in axis.ticks(UTC)]
    assert all(later - earlier > 0.02 for earlier, later in pairwise(places))


def test_on_a_phone_fewer_words_stand_below_the_axis_and_pauses_come_first() -> None:
    axis = time_axis([(0, 50 * MINUTE), (3 * HOUR, 3 * HOUR + 50 * MINUTE)])

    assert axis is not None
    kept = [one for one in axis.ticks(UTC, room=0.06, narrow=0.4) if not one.is_spare]
    assert [one.text for one in kept] == ["00:00", "⋯ 2 h 10 min"]
    assert all(later.x - earlier.x >= 0.4 for earlier, later in pairwise(kept))
