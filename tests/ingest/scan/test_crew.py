from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES as BUNDLED
from tests.ingest.roots import root_of
from tests.ingest.scan import crews
from tests.ingest.scan.test_tally import added, tally_of, totals
from unspool.demo import generate
from unspool.ingest.scan.crew import Turn, shares, usual_count


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crew") / "root"
    generate(path, mb=2, seed=8, prices=BUNDLED)
    return path


@pytest.mark.parametrize("count", [1, 2, 3])
def test_many_processes_come_to_the_sum_of_one(root: Path, count: int) -> None:
    alone = totals(tally_of(root_of(root)))
    together = [tuple(total) for total in crews.totals(root, count)]

    assert added(together) == added(alone)


def test_a_process_that_dies_is_noticed(root: Path) -> None:
    with pytest.raises(ChildProcessError, match="Lost"):
        crews.totals(root, 2, fault="dies")


def test_shares_are_about_as_large_as_each_other() -> None:
    looks = [(f"f{n}", n * 1_000_000, 0) for n in range(1, 11)]
    parts = shares(looks, 3)
    sizes = [sum(int(path[1:]) for path in part) for part in parts]

    assert sorted(path for part in parts for path in part) == sorted(path for path, _, _ in looks)
    assert max(sizes) - min(sizes) <= 2


def test_small_files_weigh_by_their_number() -> None:
    parts = shares([(f"f{n}", 1, 0) for n in range(10)], 2)

    assert [len(part) for part in parts] == [5, 5]


def test_there_is_a_process_for_each_processor() -> None:
    assert usual_count() >= 1


def test_whoever_is_alone_is_first_and_last() -> None:
    turn = Turn(None, None)
    turn.done()

    assert (turn.is_first, turn.is_last, turn.wait()) == (True, True, True)
