from pathlib import Path

import pytest

from benchmarks import hostile
from benchmarks.hostile_texts import TEXTS


def test_every_renderer_and_every_way_out_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile, "_SIZE", 2_000)
    monkeypatch.setattr(hostile, "TEXTS", {"links": TEXTS["links"]})
    figures = {figure.name.rpartition(", ")[2]: figure for figure in hostile.measured(tmp_path)}

    assert {"Markdown", "code", "terminal output", "diff", "JSON", "search snippet"} <= set(figures)
    assert {"session page", "`show`", "html", "md", "json", "all of a call"} <= set(figures)
    assert all(figure.must == 1 and "links" in figure.note for figure in figures.values())
