import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unspool.engine.usage.scan.cache import ScanJob
from unspool.engine.usage.scan.processes import Link, ScannerLost, load_msgspec, shares, usual_count

REPOSITORY = Path(__file__).parents[4]

# In a process of its own, where forking disturbs nobody.
_SCRIPT = """
import sys
from pathlib import Path
from tests.engine.indexing.roots import NOW, root_of
from tests.engine.usage.scan.scans import PRICER, files_of
from unspool.engine.usage.scan import processes
from unspool.engine.usage.scan import cache
from unspool.source.roots import RootPlace, Scope

path, count, fault = sys.argv[1], int(sys.argv[2]), sys.argv[3]
processes.usual_count, processes.WORTH_MANY = lambda: count, 0
parent = processes.os.getpid()

class Scanner(processes.Scanner):
    def _scan(self, jobs):
        if fault == "dies" and processes.os.getpid() != parent:
            raise SystemExit
        if fault == "only children" and jobs and processes.os.getpid() == parent:
            raise SystemExit("the parent scans")
        return super()._scan(jobs)

place = RootPlace(1, path, "", path + "/projects", None)
scanner = Scanner(Scope([place], ""), lambda: PRICER, NOW)
files = files_of(root_of(Path(path)))
first = scanner.scan([cache.ScanJob(file.path, file.size) for file in files])
processes.WORTH_MANY = 1 << 40
again = scanner.scan([cache.ScanJob(file.path, file.size, None) for file in files])
scanner.close()
print(sorted(one.plain() for one in first), sorted(len(one.rows) for one in again))
"""


def scanned(root: Path, count: int, fault: str = "") -> str:
    return subprocess.check_output(
        [sys.executable, "-c", _SCRIPT, str(root), str(count), fault],
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY}"},
        text=True,
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.demo.generator.made import PRICES  # noqa: PLC0415
    from unspool.demo import generate  # noqa: PLC0415

    path = tmp_path_factory.mktemp("processes") / "root"
    generate(path, mb=1, seed=8, prices=PRICES)
    return path


def test_many_processes_find_what_one_finds(root: Path) -> None:
    alone = scanned(root, 1)

    assert len(alone) > 1_000
    assert scanned(root, 3) == alone


def test_processes_that_are_there_do_what_is_little_too(root: Path) -> None:
    assert scanned(root, 2, "only children") == scanned(root, 1)


def test_what_processes_that_die_leave_undone_is_done_without_them(root: Path) -> None:
    assert scanned(root, 2, "dies") == scanned(root, 1)


def test_shares_are_about_as_large_as_each_other() -> None:
    jobs = [ScanJob(f"f{n}", n * 1_000_000) for n in range(1, 11)]
    parts = shares(jobs, 3)
    sizes = [sum(job.size for job in part) for part in parts]

    assert sorted(job for part in parts for job in part) == sorted(jobs)
    assert max(sizes) - min(sizes) <= 2_000_000


def test_small_files_weigh_by_their_number() -> None:
    parts = shares([ScanJob(f"f{n}", 1) for n in range(10)], 2)

    assert [len(part) for part in parts] == [5, 5]


def test_there_is_a_process_for_each_processor() -> None:
    assert usual_count() >= 1


def test_loading_leaves_no_trace_of_what_was_left_out() -> None:
    load_msgspec()

    assert "msgspec" in sys.modules
    assert sys.modules.get("typing_extensions", sys) is not None


@pytest.fixture
def ends() -> Iterator[tuple[Link, Link]]:
    (a, b), (c, d) = os.pipe(), os.pipe()
    one, two = Link(a, d), Link(c, b)
    yield one, two
    one.close()
    two.close()


@pytest.mark.parametrize("value", [(), [("a", 1, None)], b"\0\n", "\ud800", 10**30])
def test_a_value_arrives_as_it_was_sent(ends: tuple[Link, Link], value: Any) -> None:
    one, two = ends
    one.send(value)
    one.send("next")

    assert (two.receive(), two.receive()) == (value, "next")


def test_whoever_is_gone_sends_nothing(ends: tuple[Link, Link]) -> None:
    one, two = ends
    one.close()

    with pytest.raises(ScannerLost):
        two.receive()


def test_nothing_can_be_sent_to_whoever_is_gone(ends: tuple[Link, Link]) -> None:
    one, two = ends
    two.close()

    with pytest.raises(ScannerLost):
        one.send(b"x" * 100)
