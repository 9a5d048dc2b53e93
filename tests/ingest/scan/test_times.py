import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.reading.clock import millis
from unspool.ingest.scan.times import moment

TIMES = st.datetimes().map(lambda at: f"{at.isoformat(timespec='milliseconds')}Z")


@given(TIMES)
def test_a_time_is_read_as_the_index_reads_it(text: str) -> None:
    assert moment(text) == millis(text)
    assert moment(text) == millis(text), "again, from the tables"


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T25:00:00.000Z",
        "2026-01-31T12:60:00.000Z",
        "2026-02-30T12:00:00.000Z",
        "0000-00-00T00:00:00.000Z",
        "1999-12-31T23:59:59.999Z",
        "2100-01-01T00:00:00.000Z",
        "2026-W05-6T12:00:00.000Z",
        "2026-01-31 12:00:00.000Z",
        "not a time, but this long",
    ],
)
def test_an_odd_time_is_read_as_the_index_reads_it(text: str) -> None:
    moment("2026-01-31T12:00:00.000Z")

    assert moment(text) == millis(text)
