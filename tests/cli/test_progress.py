import sys
from io import StringIO

import pytest

from unspool.cli.progress import ProgressBar, bar


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_tells_how_much_how_fast_and_how_long_still() -> None:
    told = bar("Indexing", 50_000_000, 200_000_000, 2.0)

    assert told.startswith("Indexing ━━━━━━──────")
    assert told.endswith(" 25% · 50.0 MB of 200.0 MB · 25.0 MB/s · 6.0 s left")


def test_at_first_nothing_is_foretold() -> None:
    assert bar("Indexing", 0, 100, 0.1).endswith(" 0% · 0 bytes of 100 bytes")


def test_more_than_all_is_all() -> None:
    assert "100%" in bar("Indexing", 300, 100, 0.1)


def test_on_a_terminal_it_is_drawn_and_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    made = ProgressBar("Indexing")
    made(1, 100)
    made(2, 100)  # too soon to be drawn
    made.close()

    assert screen.getvalue().count("Indexing") == 1
    assert screen.getvalue().endswith("\r\x1b[K")


def test_it_never_needs_a_second_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "30")
    ProgressBar("Indexing")(1, 100)

    assert len(screen.getvalue().rpartition("\x1b[K")[2]) == 29


def test_where_nobody_looks_nothing_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    made = ProgressBar("Indexing")
    made(1, 100)
    made.close()

    assert capsys.readouterr().err == ""
