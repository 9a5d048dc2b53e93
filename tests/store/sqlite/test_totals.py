import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import astuple, replace

from tests.store.made import UNPRICED, Source, price
from unspool.errors import StoreError
from unspool.store.sqlite import totals
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.totals import read_known, read_totals

LOADED = """
import sys
import unspool.store.sqlite.totals
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_sums_are_those_of_the_store(sqlite: SqliteStore) -> None:
    source = Source().line().spends("m:1").line().spends("m:2", model="other", geo=UNPRICED)
    sqlite.commit([source.batch()], price)

    assert sorted(read_totals(str(sqlite.home / "index.db"))) == [*map(astuple, sqlite.totals())]


def test_files_are_named_by_their_whole_path(sqlite: SqliteStore) -> None:
    source = Source().line()
    sqlite.commit_usage(replace(source.row, size=120, mtime_ns=7), [])

    _, files = read_known(str(sqlite.home / "index.db"))
    assert files == [("/claude/projects/-repo/s1-1.jsonl", 120, 7)]


def test_the_price_table_is_named(sqlite: SqliteStore) -> None:
    path = str(sqlite.home / "index.db")
    before, _ = read_known(path)
    sqlite.reprice(lambda row: 1, "t2")

    assert (before, *read_known(path)) == ("", "t2", [])


def test_without_an_index_there_is_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")

    assert (read_totals(path), read_known(path)) == ([], ("", []))
    assert not (tmp_path / "index.db").exists()


def test_a_damaged_index_is_no_report_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"damaged" * 1000)

    with pytest.raises(StoreError, match="cannot be read"):
        read_totals(str(tmp_path / "index.db"))


def test_neither_the_model_nor_its_library_is_loaded() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(totals.__file__).parents[3])}
    said = subprocess.check_output([sys.executable, "-c", LOADED], env=environment, text=True)

    assert {"msgspec", "apsw", "rich", "typing_extensions", "asyncio"}.isdisjoint(said.split())
