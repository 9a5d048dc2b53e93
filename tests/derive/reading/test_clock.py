"""Times are read as they were written, whatever was read before them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.reading import clock
from unspool.derive.reading.clock import EARLIEST, LATEST, iso, millis

NEW_YEAR = 1_767_225_600_000
MOMENTS = st.integers(EARLIEST, LATEST - 1)
WARM = "2026-01-01T00:00:00.000Z"


def test_milliseconds_are_read() -> None:
    assert millis("2026-01-01T00:00:01.002Z") == NEW_YEAR + 1002


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-01-01T00:00:07Z", 7),
        ("2026-01-01T00:00:07", 7),
        ("2026-01-01 00:00:07", 7),
        ("2026-01-01T01:00:07+01:00", 7),
        ("2026-01-01T00:00:07.000000Z", 7),
        ("20260101T000007.0000000Z", 7),
        ("2026-W01-4T00:00:07.000Z", 7),
        ("2026-01-01T00:00:07,000Z", 7),
        ("2026-01-01", 0),
    ],
)
def test_other_ways_to_write_a_time_are_read(text: str, seconds: int) -> None:
    assert millis(text) == NEW_YEAR + seconds * 1000


# devtools 17
@pytest.mark.parametrize("text", [None, "", "soon", "0000-00-00T00:00:00Z", "2026-02-30T00:00:00Z"])
def test_a_missing_or_malformed_time_is_none(text: str | None) -> None:
    assert millis(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "1970-01-01T00:00:00.000Z",
        "2019-12-31T23:59:59.999Z",
        "2100-01-01T00:00:00.000Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_an_absurd_time_is_none(text: str) -> None:
    assert millis(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T25:00:00.000Z",
        "2026-01-01T12:60:00.000Z",
        "2026-01-01T00:00:60.000Z",
        "2026-01-01T00:00:²0.000Z",
        "2026-01-01T00:00:00.00²Z",
        "2026-01-01T00:00-00.000Z",
        "2026-01-01T00:00:00-000Z",
        "2026-01-01T00:00:00.000X",
    ],
)
def test_a_day_known_before_makes_no_bad_time_good(text: str) -> None:
    assert (millis(WARM), millis(text)) == (NEW_YEAR, None)


def test_digits_that_only_look_like_a_known_day_are_read_anew() -> None:
    first, second = millis("20260101T000000.1234567Z"), millis("20260101T000000.7654321Z")

    assert (first, second) == (NEW_YEAR + 123, NEW_YEAR + 765)


@given(MOMENTS)
def test_a_written_time_reads_back(ms: int) -> None:
    assert millis(iso(ms)) == ms


@given(MOMENTS, st.integers(0, 86_399_999))
def test_a_known_day_reads_like_an_unknown_one(ms: int, later: int) -> None:
    day = ms - ms % 86_400_000
    millis(iso(day))

    assert millis(iso(day + later)) == day + later


@given(MOMENTS, st.integers(-14 * 60, 14 * 60))
def test_any_offset_names_the_same_moment(ms: int, offset: int) -> None:
    zone = timezone(timedelta(minutes=offset))
    written = datetime.fromtimestamp(ms // 1000, zone).isoformat()

    assert millis(written) == ms // 1000 * 1000


@given(st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    millis(WARM)

    assert isinstance(millis(WARM[:10] + text), int | None)


@given(st.sampled_from([10, 16]), st.text("0123456789:.-TZW+ ", max_size=16))
def test_what_was_read_before_changes_no_answer(begun: int, text: str) -> None:
    millis(WARM)
    warm = millis(WARM[:begun] + text)
    clock._days.clear()

    assert millis(WARM[:begun] + text) == warm


def test_the_memory_of_days_is_bounded() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for day in range(clock._MOST_KEPT + 10):
        millis(f"{start + timedelta(days=day):%Y-%m-%d}T00:00:00.000Z")

    assert 0 < len(clock._days) <= clock._MOST_KEPT


def test_no_time_is_written_as_none() -> None:
    assert iso(None) is None


def test_a_time_is_written_in_milliseconds_and_z() -> None:
    assert iso(NEW_YEAR + 7) == "2026-01-01T00:00:00.007Z"


@given(st.lists(MOMENTS, max_size=5))
def test_a_time_is_written_the_same_whatever_was_written_before(moments: list[int]) -> None:
    for ms in (*moments, *(ms // 60_000 * 60_000 + 59_999 for ms in moments)):
        plain = datetime.fromtimestamp(ms // 1_000, UTC).isoformat()[:19]

        assert iso(ms) == f"{plain}.{ms % 1_000:03}Z"


def test_no_more_minutes_are_remembered_than_a_few_thousand() -> None:
    for minute in range(5_000):
        iso(NEW_YEAR + minute * 60_000)

    assert len(clock._written) <= clock._MOST_KEPT
