import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.cli.statuslines import answered, index, talk, transcript
from unspool.errors import StoreError
from unspool.store.sqlite import ledger_reader
from unspool.store.sqlite.ledger_reader import LedgerReader
from unspool.store.sqlite.store import SqliteStore

PICO = 10**12


@pytest.fixture
def database(tmp_path: Path, home: Path) -> str:
    """An index of two sessions, one of them old."""
    answered(talk().user("hi"), 1).save(tmp_path)
    answered(talk("s2", minutes=60 * 24 * 30), 2).save(tmp_path)
    index(tmp_path)
    return str(home / "unspool" / "index.db")


@pytest.fixture
def reader(database: str) -> Iterator[LedgerReader]:
    found = LedgerReader(database, 50)
    yield found
    found.close()


def test_sums_of_a_session_come_whole_others_from_a_moment_on(reader: LedgerReader) -> None:
    ever, never = 0, 1 << 60

    assert sorted(row[2] for row in reader.totals_of("", ever)) == ["s1", "s2"]
    assert [(row[2], row[10]) for row in reader.totals_of("s2", never)] == [("s2", 2 * PICO)]


def test_files_are_known_by_their_place_offset_size_and_time(
    reader: LedgerReader, tmp_path: Path
) -> None:
    path = transcript(tmp_path)
    info = path.stat()

    found = reader.sources([str(path), "/nowhere", "\udcff"])

    assert found == {str(path): (info.st_size, info.st_size, info.st_mtime_ns)}


def test_responses_are_found_by_their_key(reader: LedgerReader) -> None:
    (found,) = reader.responses(["m:msg_s11", "m:none", "\ud800"]).values()

    assert (found.session_id, found.row.message_key) == ("s1", "m:msg_s11")
    assert (found.row.tokens.output, found.row.usd_pico) == (40_000, PICO)


def test_a_name_no_database_takes_is_not_found(reader: LedgerReader) -> None:
    assert reader.totals_of("\ud800", 1 << 60) == []


def test_all_answers_are_of_one_moment(reader: LedgerReader, database: str) -> None:
    reader.sources([])
    writer = apsw.Connection(database)
    writer.execute("DELETE FROM total")
    writer.close()

    assert reader.totals_of("s1", 0)


def test_where_there_is_no_index_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        LedgerReader(str(tmp_path / "index.db"), 50)

    assert not (tmp_path / "index.db").exists()


def test_a_file_that_is_no_index_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"x" * 4_096)

    with pytest.raises(StoreError):
        LedgerReader(str(tmp_path / "index.db"), 50)


def test_a_directory_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        LedgerReader(str(tmp_path), 50)


def test_an_index_of_another_version_is_none(database: str) -> None:
    writer = apsw.Connection(database)
    writer.execute("PRAGMA user_version = 3")
    writer.close()

    with pytest.raises(StoreError, match="another version"):
        LedgerReader(database, 50)


def test_all_there_is_can_be_asked_for(reader: LedgerReader, tmp_path: Path) -> None:
    assert sorted(row[2] for row in reader.totals()) == ["s1", "s2"]
    assert reader.sources().keys() == {str(path) for path in tmp_path.rglob("*.jsonl")}
    assert sorted(owned.session_id for owned in reader.every_response()) == ["s1", "s2"]


def test_responses_are_known_by_their_hashes(reader: LedgerReader) -> None:
    (mine,) = (
        zlib.crc32(owned.row.message_key.encode())
        for owned in reader.every_response()
        if owned.session_id == "s1"
    )

    assert reader.hashes([mine, 7]) == {mine}
    assert reader.hashes([]) == set()


def test_the_price_table_is_named(database: str, home: Path) -> None:
    with closing(SqliteStore(home / "unspool")) as store:
        store.reprice(lambda row: 1, "t2")
    with closing(LedgerReader(database, 50)) as found:
        assert found.prices() == "t2"


LOADED = """
import sys
import unspool.store.sqlite.ledger_reader
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_neither_the_model_nor_its_library_is_loaded() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(ledger_reader.__file__).parents[3])}
    loaded = subprocess.check_output([sys.executable, "-c", LOADED], env=environment, text=True)

    assert {"msgspec", "rich", "typing_extensions", "asyncio", "pathlib"}.isdisjoint(loaded.split())
