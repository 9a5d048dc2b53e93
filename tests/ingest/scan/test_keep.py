import time
from pathlib import Path
from typing import Any

import pytest

from tests.demo.generator.made import PRICES as BUNDLED
from tests.ingest.roots import root_of
from tests.ingest.scan import crews
from tests.ingest.scan.scans import root_with
from tests.ingest.scan.test_tally import added, tally_of, totals
from unspool.demo import Transcript, generate
from unspool.ingest.scan.crew import Turn
from unspool.ingest.scan.keep import keep
from unspool.store.sqlite.totals import read_known, read_totals

ALONE = Turn(None, None)


def kept(root: Path, home: Path) -> list[tuple[Any, ...]]:
    keep(tally_of(root_of(root)), "the table", (str(home), str(home / "aside")), ALONE)
    return read_totals(str(home / "index.db"))


def wait_until_settled(home: Path) -> None:
    """What is written after the report is written soon."""
    end = time.monotonic() + 60
    while time.monotonic() < end and [*home.glob("scan-*")] != []:
        time.sleep(0.02)


def test_what_was_scanned_is_an_index_then(tmp_path: Path) -> None:
    root_with(tmp_path / "root", Transcript().says("a"), Transcript().says("b", id="msg_9"))
    ledger = str(tmp_path / "home" / "index.db")

    assert added(kept(tmp_path / "root", tmp_path / "home")) == added(
        totals(tally_of(root_of(tmp_path / "root")))
    )
    prices, files = read_known(ledger)
    assert (prices, len(files)) == ("the table", 2)


def test_only_the_index_is_left_and_only_for_its_owner(tmp_path: Path) -> None:
    root_with(tmp_path / "root", Transcript().says("a"))
    kept(tmp_path / "root", tmp_path / "home")

    assert {path.name for path in (tmp_path / "home").iterdir()} >= {"index.db", "index.lock"}
    assert not (tmp_path / "home" / "aside").exists()
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "home" / "index.db").stat().st_mode & 0o777 == 0o600


def test_an_index_that_somebody_else_made_meanwhile_stays(tmp_path: Path) -> None:
    root_with(tmp_path / "root", Transcript().says("a"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "index.db").write_bytes(b"theirs")
    keep(
        tally_of(root_of(tmp_path / "root")),
        "",
        (str(tmp_path / "home"), str(tmp_path / "home" / "aside")),
        ALONE,
    )

    assert (tmp_path / "home" / "index.db").read_bytes() == b"theirs"


def test_where_nothing_can_be_written_nothing_is(tmp_path: Path) -> None:
    root_with(tmp_path / "root", Transcript().says("a"))
    (tmp_path / "file").touch()

    keep(tally_of(root_of(tmp_path / "root")), "", (str(tmp_path / "file" / "h"),) * 2, ALONE)


@pytest.mark.parametrize(("fault", "is_there"), [("none", True), ("gives up", False)])
def test_the_processes_of_a_crew_write_one_index_or_none(
    tmp_path: Path, fault: str, is_there: bool
) -> None:
    generate(tmp_path / "root", mb=2, seed=8, prices=BUNDLED)
    (tmp_path / "home").mkdir()
    told = crews.totals(tmp_path / "root", 3, str(tmp_path / "home"), fault)
    wait_until_settled(tmp_path / "home")
    found = read_totals(str(tmp_path / "home" / "index.db"))

    assert bool(found) is is_there
    assert not is_there or added(found) == added([tuple(total) for total in told])
