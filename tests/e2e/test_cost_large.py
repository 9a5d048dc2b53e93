"""More than one process scans, and the next report is made from the cache."""

import json
from pathlib import Path

import pytest

from tests.cli.runs import process
from tests.e2e.test_cost import figures, true
from unspool.demo import generate
from unspool.source.prices import bundled


@pytest.mark.slow
def test_a_large_root_is_scanned_by_many_and_kept_for_the_next_report(
    tmp_path: Path, home: Path
) -> None:
    truth = generate(tmp_path / "root", mb=30, seed=5, prices=json.loads(bundled()))
    first = json.loads(process("cost", "--json", "--root", tmp_path / "root").out)
    names = {path.name for path in (home / "unspool").rglob("*.*")}
    second = json.loads(process("cost", "--json", "--root", tmp_path / "root").out)

    assert figures(first["totals"]) == true(truth.totals)
    assert second == first
    assert names == {"cost.cache", "roots.json"}
    assert process("index", "build", "--root", tmp_path / "root").code == 0
    assert json.loads(process("cost", "--json", "--root", tmp_path / "root").out) == first
