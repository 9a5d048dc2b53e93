"""Lanes: one a session, cut at midnight and now, and the table says the same."""

from datetime import UTC

from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.show.charts.lanes import LaneCache, Lanes, LaneSession, lanes

HOUR = 3_600_000
MIDNIGHT = 20_000 * 24 * HOUR
NOW = MIDNIGHT + 10 * HOUR


def hours(start: float, end: float) -> TimeSpan:
    return TimeSpan(MIDNIGHT + int(start * HOUR), MIDNIGHT + int(end * HOUR))


def made(*strips: ActivityStrip) -> Lanes | None:
    worked = [
        LaneSession(f"title {n}", "app", "p", str(n), "$1.00", s) for n, s in enumerate(strips)
    ]
    return lanes(worked, MIDNIGHT, NOW, UTC)


def test_a_turn_stands_where_it_was_between_midnight_and_now() -> None:
    day = made(ActivityStrip(turns=(hours(5, 7.5),)))

    assert day
    assert day.lanes[0].paths == (("turn", "M500 3h250v6h-250z"),)
    assert day.now == "10:00"


def test_what_was_yesterday_is_cut_off() -> None:
    day = made(ActivityStrip(turns=(hours(-3, -2), hours(-1, 1)), waits=(hours(-1, 0.5),)))

    assert day
    assert day.lanes[0].thread == "M0 6.5H100"
    assert day.rows[0][2:4] == ("1 h", "30 min")


def test_a_session_of_yesterday_has_no_lane() -> None:
    assert made(ActivityStrip(turns=(hours(-3, -2),)), ActivityStrip()) is None


def test_failures_are_counted_and_drawn() -> None:
    first = MIDNIGHT + 2 * HOUR
    calls = (CallSpan(first, first, True), CallSpan(first, first), CallSpan(MIDNIGHT - 9, 0, True))
    day = made(ActivityStrip(turns=(hours(1, 3),), calls=calls))

    assert day
    assert day.rows[0][4] == "1"
    assert dict(day.lanes[0].paths)["err"] == "M200 1h2v10h-2z"


def test_the_hours_are_few_enough_to_be_read() -> None:
    day = made(ActivityStrip(turns=(hours(1, 3),)))

    assert day
    assert [hour for _, hour in day.hours] == ["00", "02", "04", "06", "08", "10"]


def test_just_after_midnight_there_is_still_a_line_of_time() -> None:
    worked = [LaneSession("t", "a", "p", "s", "", ActivityStrip(turns=(hours(0, 0.01),)))]

    day = lanes(worked, MIDNIGHT, MIDNIGHT + 1_000, UTC)

    assert day
    assert [hour for _, hour in day.hours] == ["00", "01"]


def test_a_lane_is_drawn_again_for_another_strip_or_another_minute() -> None:
    cache, strip = LaneCache(), ActivityStrip(turns=(TimeSpan(MIDNIGHT, MIDNIGHT + HOUR),))
    one = LaneSession("a", "p", "-p", "s", "$1", strip)
    other = one._replace(strip=ActivityStrip(turns=(TimeSpan(MIDNIGHT, MIDNIGHT + 2 * HOUR),)))
    later = NOW + 60_000

    for asked, now in [(one, NOW), (one, NOW), (other, NOW), (other, later), (one, later)]:
        assert lanes([asked], MIDNIGHT, now, UTC, cache) == lanes([asked], MIDNIGHT, now, UTC)
    first, again = (lanes([one], MIDNIGHT, later, UTC, cache) for _ in range(2))
    assert first
    assert again
    assert first.lanes[0].paths is again.lanes[0].paths
