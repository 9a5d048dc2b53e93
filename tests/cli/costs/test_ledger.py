from pathlib import Path
from typing import Any

from tests.cli.costs.spending import PRICE, ledger, talk
from unspool.cli.costs.ledger import totals


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
