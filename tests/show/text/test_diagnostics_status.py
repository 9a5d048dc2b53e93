import pytest

from unspool.model.health import IndexStatus, Lag, WriterProcess
from unspool.show.numbers import format_bytes
from unspool.show.spans import plain
from unspool.show.text.diagnostics import status_lines
from unspool.show.text.layout import Frame

NOW = 1_767_225_600_000


def told(found: IndexStatus) -> dict[str, str]:
    lines = [plain(line) for line in status_lines(found, Frame(80, NOW))]
    return {line[:13].strip(): line[13:] for line in lines}


def test_lines_sessions_and_events_are_counted() -> None:
    found = told(IndexStatus(home="/h", lines=1200, sessions=1, sources=3, hook_events=2))

    assert found["transcripts"] == "1,200 lines, 1 session, 3 files"
    assert found["hook events"] == "2 events, 0 files"


def test_an_index_that_is_up_to_date_says_so() -> None:
    assert told(IndexStatus(home="/h"))["lag"].startswith("none")


def test_an_index_that_is_behind_says_by_how_much_and_what_to_do() -> None:
    found = told(IndexStatus(home="/h", lag=Lag(2, 1_500_000)))

    assert found["lag"] == "1.5 MB in 2 files not yet indexed; unspool index build"


def test_what_is_not_wrong_is_left_out() -> None:
    assert {"bad lines", "gone", "superseded", "problem"}.isdisjoint(told(IndexStatus(home="/h")))


def test_what_is_wrong_is_named() -> None:
    found = told(IndexStatus(home="/h", bad_lines=3, gone=1, superseded=4, trouble=("torn",)))

    assert found["bad lines"].startswith("3;")
    assert found["gone"].startswith("1 file no longer on disk")
    assert found["superseded"].startswith("4 lines")
    assert found["problem"] == "torn"


def test_whoever_writes_is_named() -> None:
    daemon = WriterProcess(pid=7, is_daemon=True, since="2025-12-31T23:58:00.000Z")

    assert told(IndexStatus(home="/h", writer=daemon))["writer"] == "daemon 7, since 2 min ago"
    assert told(IndexStatus(home="/h", writer=WriterProcess(pid=8)))["writer"] == "process 8"
    assert told(IndexStatus(home="/h"))["writer"].startswith("not running")


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 KB"), (12_345_678, "12.3 MB"),
     (2 * 10**9, "2.0 GB"), (5 * 10**15, "5,000.0 TB")],
)  # fmt: skip
def test_sizes_have_a_unit_that_suits_them(number: int, text: str) -> None:
    assert format_bytes(number) == text
