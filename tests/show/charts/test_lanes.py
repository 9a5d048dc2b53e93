"""Lanes: one a session, from the first hour of work to now, and the table says the same."""

from datetime import UTC

from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.show.charts.lanes import LaneCache, Lanes, LaneSession, lanes

HOUR = 3_600_000
MIDNIGHT = 20_000 * 24 * HOUR
NOW = MIDNIGHT + 10 * HOUR


def hours(start: float, end: float) -> TimeSpan:
    return TimeSpan(MIDNIGHT + int(start * HOUR), MIDNIGHT + int(end * HOUR))


def made(*strips: ActivityStrip, waits_since: int | None = None) -> Lanes | None:
    worked = [
        LaneSession(f"s-{n}", f"title {n}", "app", "p", str(n), "$1.00", False, s, waits_since)
        for n, s in enumerate(strips)
    ]
    return lanes(worked, MIDNIGHT, NOW, UTC)


def test_a_turn_stands_where_it_was_between_the_first_hour_of_work_and_now() -> None:
    day = made(ActivityStrip(turns=(hours(5.5, 7.5),)), ActivityStrip(turns=(hours(8, 10),)))

    assert day
    assert day.lanes[0].paths == (("turn", "M100 3h400v6h-400z"),)
    assert (day.start, day.now) == ("05:00", "10:00")


def test_what_was_yesterday_is_cut_off() -> None:
    day = made(ActivityStrip(turns=(hours(-3, -2), hours(-1, 1)), waits=(hours(-1, 0.5),)))

    assert day
    assert day.lanes[0].thread == "M0 6.5H100"
    assert day.rows[0][2:4] == ("30 min", "30 min")


def test_a_session_of_yesterday_has_an_empty_lane_beside_its_row() -> None:
    day = made(ActivityStrip(turns=(hours(-3, -2),)), ActivityStrip(turns=(hours(1, 2),)))

    assert day
    assert [(lane.id, bool(lane.thread)) for lane in day.lanes] == [("s-0", False), ("s-1", True)]
    assert [row[0] for row in day.rows] == ["title 1"]


def test_without_any_work_today_there_are_no_lanes() -> None:
    assert made(ActivityStrip(turns=(hours(-3, -2),)), ActivityStrip()) is None


def test_a_wait_for_an_answer_is_not_work() -> None:
    day = made(ActivityStrip(turns=(hours(0, 8),), waits=(hours(1, 7),)))

    assert day
    assert dict(day.lanes[0].paths)["turn"] == "M0 3h100v6h-100zM700 3h100v6h-100z"
    assert day.rows[0][2:4] == ("2 h", "6 h")


def test_a_call_answered_after_hours_is_not_drawn_as_work() -> None:
    long, short = hours(1, 7), hours(7, 7.1)
    calls = (CallSpan(*long), CallSpan(*short))
    day = made(ActivityStrip(turns=(hours(0, 8),), calls=calls))

    assert day
    assert dict(day.lanes[0].paths)["turn"] == "M0 3h100v6h-100zM700 3h100v6h-100z"


def test_a_long_call_in_which_an_agent_worked_is_work() -> None:
    day = made(
        ActivityStrip(turns=(hours(0, 8),), calls=(CallSpan(*hours(1, 7)),), agents=(hours(1, 7),))
    )

    assert day
    assert dict(day.lanes[0].paths)["turn"] == "M0 3h800v6h-800z"


def test_who_still_waits_has_waited_until_now() -> None:
    day = made(ActivityStrip(turns=(hours(0, 8),)), waits_since=MIDNIGHT + 8 * HOUR)

    assert day
    assert dict(day.lanes[0].paths)["wait"] == "M800 2h200v8h-200z"
    assert day.rows[0][3] == "2 h"


def test_failures_are_counted_and_drawn() -> None:
    first = MIDNIGHT + 2 * HOUR
    calls = (CallSpan(first, first, True), CallSpan(first, first), CallSpan(MIDNIGHT - 9, 0, True))
    day = made(ActivityStrip(turns=(hours(0, 3),), calls=calls))

    assert day
    assert day.rows[0][4] == "1"
    assert dict(day.lanes[0].paths)["err"] == "M200 1h2v10h-2z"


def test_the_hours_are_few_enough_to_be_read() -> None:
    day = made(ActivityStrip(turns=(hours(0, 3),)))

    assert day
    assert [hour for _, hour in day.hours] == ["00", "02", "04", "06", "08", "10"]


def test_just_after_midnight_there_is_still_a_line_of_time() -> None:
    strip = ActivityStrip(turns=(hours(0, 0.01),))
    worked = [LaneSession("s", "t", "a", "p", "s", "", False, strip)]

    day = lanes(worked, MIDNIGHT, MIDNIGHT + 1_000, UTC)

    assert day
    assert [hour for _, hour in day.hours] == ["00", "01"]


def test_a_lane_is_drawn_again_for_another_strip_or_another_minute() -> None:
    cache, strip = LaneCache(), ActivityStrip(turns=(TimeSpan(MIDNIGHT, MIDNIGHT + HOUR),))
    one = LaneSession("s", "a", "p", "-p", "s", "$1", False, strip)
    other = one._replace(strip=ActivityStrip(turns=(TimeSpan(MIDNIGHT, MIDNIGHT + 2 * HOUR),)))
    waits = one._replace(waits_since=MIDNIGHT + HOUR)
    later = NOW + 60_000

    turns = [(one, NOW), (one, NOW), (other, NOW), (other, later), (one, later), (waits, later)]
    for asked, now in turns:
        assert lanes([asked], MIDNIGHT, now, UTC, cache) == lanes([asked], MIDNIGHT, now, UTC)
    first, again = (lanes([one], MIDNIGHT, later, UTC, cache) for _ in range(2))
    assert first
    assert again
    assert first.lanes[0].paths is again.lanes[0].paths
