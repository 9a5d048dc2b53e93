import os
import threading
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.cli.costs.spending import PRICE, ledger, talk
from unspool.cli.costs import days, seen
from unspool.cli.costs.claim import claimed
from unspool.cli.costs.ledger import remember, totals


def spent(*explicit: Path) -> float:
    found: list[Any] = [total[10] for total in totals([str(path) for path in explicit])]
    return float(sum(found) / 10**12)


def test_the_first_report_leaves_a_ledger(root: Path) -> None:
    assert spent() == PRICE
    assert ledger().exists()


def test_the_second_is_read_from_it(root: Path) -> None:
    spent()
    (path,) = (root / "projects").rglob("*.jsonl")
    path.unlink()

    assert spent() == PRICE, "what Claude Code swept away was spent all the same"


def test_new_lines_are_added_once(root: Path) -> None:
    spent()
    talk(answers=3).save(root)
    talk("s2").save(root)

    assert spent() == 4 * PRICE
    assert spent() == 4 * PRICE


def test_a_root_is_told_from_another(root: Path, tmp_path: Path) -> None:
    talk("s2", answers=2).save(tmp_path / "other")

    assert (spent(), spent(tmp_path / "other"), spent()) == (PRICE, 2 * PRICE, PRICE)


def test_a_narrowed_root_counts_its_project_alone(root: Path) -> None:
    other = talk("s2", answers=2)
    path = root / "projects" / "-other" / "s2.jsonl"
    path.parent.mkdir()
    path.write_bytes(other.bytes())

    assert spent() == 3 * PRICE
    assert spent(path.parent) == 2 * PRICE


def test_nothing_to_read_is_nothing_spent(home: Path) -> None:
    assert totals([]) == []


@pytest.fixture
def settled(root: Path) -> Path:
    """A root whose directories have not changed for long, and its ledger."""
    talk("s2", day="2026-03-29").save(root)
    for folder in [root / "projects", *(root / "projects").rglob("*/")]:
        os.utime(folder, (1_700_000_000, 1_700_000_000))
    spent()
    return root


def test_a_fresh_ledger_is_remembered(settled: Path) -> None:
    assert seen.read(str(ledger().parent)) is None
    assert spent() == 2 * PRICE

    found = seen.read(str(ledger().parent))
    assert found is not None
    assert [total[10] for total in found.days] == [5 * 10**12] * 2


def test_what_is_remembered_is_told_by_the_days_of_here_alone(settled: Path) -> None:
    remember([])

    assert {total[1] for total in totals([], days.ahead(None))} == {""}
    assert {total[1] for total in totals([], days.ahead(ZoneInfo("Asia/Tokyo")))} != {""}
    assert {total[1] for total in totals([])} != {""}


def test_what_changes_after_that_counts(settled: Path) -> None:
    remember([])
    talk("s3").save(settled)

    assert sum(int(total[10]) for total in totals([], days.ahead(None))) == 3 * PRICE * 10**12


def test_new_prices_are_not_those_remembered(settled: Path) -> None:
    remember([])
    (ledger().parent / "prices.toml").write_text("[models]\n")

    assert {total[1] for total in totals([], days.ahead(None))} != {""}


def test_whoever_comes_while_the_first_ledger_is_written_waits_for_it(root: Path) -> None:
    home, found = str(ledger().parent), list[float]()
    with claimed(home, 0):
        second = threading.Thread(target=lambda: found.append(spent()))
        second.start()
        second.join(0.2)
        assert second.is_alive()
        assert not ledger().exists()
    second.join()

    assert found == [PRICE]
