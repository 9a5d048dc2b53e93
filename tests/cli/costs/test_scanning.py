import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.costs.spending import PRICE, ledger, talk
from unspool.cli.costs import scanning
from unspool.cli.costs.asked import asked
from unspool.ingest.scan.links import Lost


def spent(found: list[Any]) -> float:
    return float(sum(total[10] for total in found) / 10**12)


def test_little_is_scanned_by_this_process_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "Crew", None)

    assert spent(scanning.scanned(asked([]))) == PRICE
    assert not ledger().exists()


def test_what_is_kept_is_there_when_it_returns(root: Path) -> None:
    scanning.alone(asked([]), keep=True)

    assert ledger().exists()


def test_a_crew_that_is_lost_leaves_the_work_to_us(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise Lost

    monkeypatch.setattr(scanning, "WORTH_MANY", 0)
    monkeypatch.setattr(scanning, "Crew", lost)

    assert spent(scanning.scanned(asked([]))) == PRICE


def test_copies_in_several_files_count_once(root: Path) -> None:
    talk().save(root / "copy")
    (root / "copy" / "projects").rename(root / "projects" / "-copy")
    (path,) = (root / "projects" / "-copy").rglob("s1.jsonl")
    path.rename(root / "projects" / "-copy" / "s1.jsonl")

    assert len(asked([]).files) == 2
    assert spent(scanning.scanned(asked([]))) == PRICE


def test_loading_leaves_no_trace_of_what_was_left_out() -> None:
    scanning.load()

    assert "msgspec" in sys.modules
    assert sys.modules.get("typing_extensions", sys) is not None
