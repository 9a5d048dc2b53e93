import json
from pathlib import Path

import pytest

from benchmarks.budgets import Figure, kept, table


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.5, "aim"), (0.7, "aim"), (1.2, "holds"), (1.3, "FAILS")]
)
def test_less_is_better_unless_it_is_said(value: float, verdict: str) -> None:
    assert Figure("window", value, "s", must=1.2, aim=0.7).verdict == verdict


@pytest.mark.parametrize(("value", "verdict"), [(99, "FAILS"), (100, "holds"), (150, "aim")])
def test_more_can_be_better(value: float, verdict: str) -> None:
    figure = Figure("speed", value, "MB/s", must=100, aim=150, more_is_better=True)

    assert figure.verdict == verdict


def test_a_figure_without_limits_is_only_told() -> None:
    figure = Figure("beside", 7, "MB/s")

    assert (figure.holds, figure.verdict) == (True, "")


def test_an_aim_that_is_missed_breaks_nothing() -> None:
    assert Figure("speed", 1, "MB/s", aim=30, more_is_better=True).holds


def test_a_table_has_a_line_for_each_figure() -> None:
    lines = table([Figure("a", 1.234, "s", 1), Figure("b", 5_678, "MB", note="so")]).split("\n")

    assert lines[0].split() == ["a", "1.23", "s", "must", "1", "FAILS"]
    assert lines[1].split() == ["b", "5678", "MB", "so"]


def test_figures_are_kept_where_git_does_not_see_them(tmp_path: Path) -> None:
    kept(tmp_path / "results" / "latest.json", [Figure("a", 1, "s", 2)])

    found = json.loads((tmp_path / "results" / "latest.json").read_text())
    assert found["figures"][0]["verdict"] == "aim"
    assert (tmp_path / "results" / ".gitignore").read_text() == "*\n"
