from unspool.engine.sessions.options import utc_midnight


def test_a_day_begins_at_midnight_where_no_zone_is_known() -> None:
    midnight = 1_767_225_600_000

    assert utc_midnight(midnight) == utc_midnight(midnight + 86_399_999) == midnight
    assert utc_midnight(midnight - 1) == midnight - 86_400_000
