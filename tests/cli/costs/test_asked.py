from pathlib import Path

import pytest

from tests.cli.costs.spending import ledger, talk
from unspool.cli.costs.asked import asked
from unspool.cli.costs.ledger import totals


def test_before_a_ledger_every_file_has_changed(root: Path) -> None:
    wanted = asked([])

    assert [Path(path).name for path, _, _ in wanted.changed] == ["s1.jsonl"]
    assert not wanted.is_fresh
    assert wanted.ledger == str(ledger())


def test_with_one_nothing_has(root: Path) -> None:
    totals([])

    assert asked([]).changed == []
    assert asked([]).is_fresh


def test_a_file_that_grew_has_changed(root: Path) -> None:
    totals([])
    talk(answers=2).save(root)

    assert len(asked([]).changed) == 1


def test_new_prices_make_it_stale(root: Path) -> None:
    totals([])
    (ledger().parent / "prices.toml").write_text("[models]\n")

    assert not asked([]).is_fresh


def test_a_ledger_that_cannot_be_read_is_none(root: Path) -> None:
    ledger().parent.mkdir(parents=True)
    ledger().write_bytes(b"no database" * 100)

    assert len(asked([]).changed) == 1
    assert not asked([]).is_fresh


def test_other_roots_than_the_ledger_s_have_one_of_their_own(root: Path, tmp_path: Path) -> None:
    totals([])
    talk("s2").save(tmp_path / "other")
    wanted = asked([str(tmp_path / "other")])

    assert Path(wanted.home).parent == ledger().parent / "roots"
    assert asked([]).home == str(ledger().parent)


def test_own_and_other_roots_together_have_a_ledger_of_their_own(
    root: Path, tmp_path: Path
) -> None:
    totals([])
    talk("s2").save(tmp_path / "other")

    assert "roots" in asked([str(root), str(tmp_path / "other")]).home


@pytest.mark.parametrize("name", ["claude-backup", "claud"])
def test_a_root_is_told_from_one_whose_name_begins_like_it(
    root: Path, tmp_path: Path, name: str
) -> None:
    totals([])
    talk("s2").save(tmp_path / name)

    assert "roots" in asked([str(tmp_path / name)]).home
