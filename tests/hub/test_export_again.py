"""Exports after exports: what changed is written, and nothing else; runs that were stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.hub.exports import DAY, TODAY, TOMORROW, Export, late, sums, two_days
from tests.hub.exports import exported as exported
from tests.hub.made import shipment
from tests.store.made import START, Source, price
from tests.waiting import until
from unspool.errors import ConfigError, StoreBusy, StoreFull
from unspool.hub import export as module
from unspool.hub.export import MANIFEST
from unspool.store.sqlite.lock import WriterLock


def test_a_second_run_writes_nothing(exported: Export) -> None:
    two_days(exported.hub)
    first, before = exported(), exported.files()
    second = exported()

    assert exported.files() == before
    assert (second.run, second.seq) == (first.run, first.seq) == (1, first.seq)
    assert {one.unchanged for one in second.tables.values()} == {3, 2, 1}


def test_a_late_line_rewrites_its_day_of_its_machine_alone(exported: Export) -> None:
    laptop, _ = two_days(exported.hub)
    exported()
    before = exported.files()
    late(exported.hub, laptop, "m:late", START)
    report = exported("usage")

    assert exported.changed(before) == {f"usage/day={TODAY}/part-laptop.parquet"}
    assert (report.tables["usage"].written, report.tables["usage"].unchanged) == (1, 2)
    assert sum(count for _, count in sums(exported.reader()).values()) == 5
    assert exported.ask("SELECT count(*) FROM {usage}") == [(5,)]
    manifest = exported.manifest().tables["usage"]
    assert [manifest.days[day]["laptop"].run for day in (TODAY, TOMORROW)] == [2, 1]


def test_other_prices_rewrite_every_day_that_they_change(exported: Export) -> None:
    two_days(exported.hub)
    exported()
    before = exported.files()
    owner = next(one.owner for one in exported.hub.people.people() if one.name == "ada")
    exported.hub.store(owner).reprice(
        lambda row: 5 if row.message_key == "m:2" else price(row), "other"
    )
    exported()

    assert exported.changed(before) == {
        f"usage/day={TOMORROW}/part-laptop.parquet",
        f"sessions/day={TODAY}/part-laptop.parquet",
    }
    assert exported.ask("SELECT sum(usd_pico)::bigint FROM {usage}") == [(2005,)]
    assert sum(pico for pico, _ in sums(exported.reader()).values()) == 2005


def test_a_response_that_moves_to_another_day_leaves_its_old_one(exported: Export) -> None:
    """An earlier line of it comes later: the day becomes empty and loses its file."""
    laptop = exported.hub.machine()
    late(exported.hub, laptop, "m:1", START + DAY, 5)
    exported("usage")
    assert (exported.path / f"usage/day={TOMORROW}").exists()
    late(exported.hub, laptop, "m:1", START, 6)
    report = exported("usage")

    assert (report.tables["usage"].written, report.tables["usage"].removed) == (1, 1)
    assert [one.name for one in (exported.path / "usage").iterdir()] == [f"day={TODAY}"]
    assert exported.ask("SELECT count(*) FROM {usage}") == [(1,)]
    gone = exported.manifest().tables["usage"].days[TOMORROW]["laptop"]
    assert (gone.rows, gone.digest, gone.run) == (0, "", 2)
    assert exported("usage").run == 2


def test_a_rewritten_file_has_its_new_calls_and_all_it_was_paid_for(exported: Export) -> None:
    laptop, source = exported.hub.machine(), Source(5).line().spends("m:old").calls(id="toolu_old")
    exported.hub.accept(laptop, shipment(source.batch()))
    exported()
    source.restart().line().spends("m:new").calls(id="toolu_new")
    exported.hub.accept(laptop, shipment(source.batch(), edition=1))
    report = exported()

    assert [row["tool_use_id"] for row in exported.arrow("tool_calls")] == ["toolu_new"]
    assert {row["message_key"] for row in exported.arrow("usage")} == {"m:old", "m:new"}
    assert {one.written for one in report.tables.values()} == {1}
    assert sums(exported.reader()) == {TODAY: (2000, 2)}


def test_what_is_erased_is_removed(exported: Export) -> None:
    """The index of an owner is made again without their only session."""
    two_days(exported.hub)
    exported()
    bob = next(one.owner for one in exported.hub.people.people() if one.name == "bob")
    exported.hub.store(bob).rebuild_into(lambda fresh: None)
    exported()

    assert not list(exported.path.rglob("part-desk.parquet"))
    assert exported.ask("SELECT DISTINCT person FROM {usage}") == [("ada",)]
    assert exported.ask("SELECT sum(usd_pico)::bigint FROM {usage}") == [
        (sum(pico for pico, _ in sums(exported.reader()).values()),)
    ]


def test_days_before_the_first_one_asked_for_are_left_as_they_are(exported: Export) -> None:
    laptop, _ = two_days(exported.hub)
    exported()
    before = exported.files()
    late(exported.hub, laptop, "m:old", START)
    late(exported.hub, laptop, "m:new", START + DAY, 10)
    exported("usage", since=(START + DAY) // DAY)
    table = exported.manifest().tables["usage"]

    assert exported.changed(before) == {f"usage/day={TOMORROW}/part-laptop.parquet"}
    assert (table.since, table.seq) == (TOMORROW, exported.reader().head())
    exported("usage")
    assert exported.manifest().tables["usage"].since is None
    assert exported.ask("SELECT count(*) FROM {usage}") == [(6,)]


def test_a_file_that_somebody_deleted_is_written_again(exported: Export) -> None:
    two_days(exported.hub)
    exported()
    (exported.path / f"usage/day={TODAY}/part-desk.parquet").unlink()

    assert exported().tables["usage"].written == 1
    assert exported.ask("SELECT count(*) FROM {usage}") == [(4,)]


def test_tables_of_one_run_are_of_one_moment(
    exported: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A response that is sent while the first table is written is in none of them."""
    laptop, _ = two_days(exported.hub)
    seq = exported.reader().head()
    put, sent = module._ExportDirectory.put, list[str]()

    def sending(self: Any, path: Path, table: str, rows: Iterator[Any]) -> None:
        if not sent:
            sent.append(table)
            late(exported.hub, laptop, "m:late", START)
        put(self, path, table, rows)

    monkeypatch.setattr(module._ExportDirectory, "put", sending)
    report = exported()
    counts = exported.ask(
        "SELECT (SELECT count(*) FROM {usage}), (SELECT sum(responses)::bigint FROM {sessions})"
    )

    assert (sent, report.seq) == (["usage"], seq)
    assert counts == [(4, 4)]
    assert exported().tables["sessions"].written == 1


def test_a_write_that_fails_leaves_whole_files_and_the_next_run_finishes(
    exported: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, _ = two_days(exported.hub)
    exported()
    for id, at in ((9, START), (10, START + DAY)):
        late(exported.hub, laptop, f"m:{id}", at, id)
    write, written = pq.ParquetWriter.write_batch, list[int]()

    def failing(self: Any, *given: Any) -> None:
        written.append(1)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        write(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_batch", failing)
        with pytest.raises(StoreFull, match="No space left"):
            exported("usage")
    table = exported.manifest().tables["usage"]
    assert exported.ask("SELECT count(*) FROM {usage}") == [(5,)]  # the first day is new
    assert table.seq is None
    assert table.days[TOMORROW]["laptop"].digest is None
    assert ".unfinished" not in exported.files()

    assert exported("usage").tables["usage"].written == 2
    assert exported.ask("SELECT count(*) FROM {usage}") == [(6,)]


def test_a_day_that_a_stopped_run_wrote_and_that_then_vanished_is_removed(
    exported: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_days(exported.hub)
    put = module._ExportDirectory.put

    def stopping(self: Any, path: Path, *given: Any) -> None:
        put(self, path, *given)
        if path.name == "part-desk.parquet":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module._ExportDirectory, "put", stopping)
        with pytest.raises(KeyboardInterrupt):
            exported("usage")
    assert list(exported.path.rglob("part-desk.parquet"))
    bob = next(one.owner for one in exported.hub.people.people() if one.name == "bob")
    exported.hub.store(bob).rebuild_into(lambda fresh: None)
    exported("usage")

    assert not list(exported.path.rglob("part-desk.parquet"))


# Exports, and stops for good in the middle of a file, in the second of some.
_STALLS = """
import sys, time
from pathlib import Path
from unspool.hub import export as module
from unspool.store.postgres.database import open_pool

put, seen = module._ExportDirectory.put, []

def stalling(self, path, table, rows):
    seen.append(path)
    def slowly():
        for row in rows:
            yield row
            if len(seen) == 2:
                self._half = open(self.path / ".half", "wb")
                while True:
                    time.sleep(1)
    put(self, path, table, slowly())

module._ExportDirectory.put = stalling
module.export(open_pool(sys.argv[1]), Path(sys.argv[2]), ["usage"])
"""


def test_a_killed_run_leaves_whole_files_and_the_next_one_finishes(exported: Export) -> None:
    two_days(exported.hub)
    command = [sys.executable, "-c", _STALLS, exported.hub.url, str(exported.path)]
    with subprocess.Popen(command) as process:
        half = exported.path / ".half"
        assert until(lambda: half.exists() or process.poll() is not None)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    half.unlink()

    assert exported.files().keys() >= {".unfinished", MANIFEST}
    (whole,) = exported.path.rglob("*.parquet")
    assert pq.ParquetFile(whole).metadata.num_rows == 1
    report = exported("usage")
    assert report.tables["usage"].written == 3
    assert exported.ask("SELECT count(*) FROM {usage}") == [(4,)]
    assert ".unfinished" not in exported.files()


def test_a_directory_of_something_else_is_left_alone(exported: Export) -> None:
    exported.path.mkdir()
    (exported.path / "thesis.txt").write_text("chapter one")

    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        exported()
    (exported.path / MANIFEST).write_text('{"name": 5, "tables": []}')
    with pytest.raises(ConfigError, match="not from an export"):
        exported()
    (exported.path / MANIFEST).write_text('{"format": 2}')
    with pytest.raises(ConfigError, match="Another version"):
        exported()


def test_two_runs_do_not_write_one_directory(exported: Export) -> None:
    exported.path.mkdir()
    lock = WriterLock(exported.path / ".lock")
    try:
        with pytest.raises(StoreBusy):
            exported()
    finally:
        lock.release()
