from contextlib import ExitStack, closing
from pathlib import Path

import apsw
import pytest

from tests.store.made import Source
from unspool.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull
from unspool.model.query import TextQuery
from unspool.store.sqlite import connection as module
from unspool.store.sqlite.connection import (
    ReaderPool,
    in_our_words,
    log_trouble,
    open_reader,
    open_writer,
)
from unspool.store.sqlite.rebuild import NEW, swap
from unspool.store.sqlite.store import SqliteStore


def test_the_library_is_past_the_bug_that_breaks_logs() -> None:
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 3)


def test_a_writer_is_careful(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "index.db")) as connection:
        asked = "journal_mode synchronous foreign_keys mmap_size trusted_schema cell_size_check"

        assert [connection.pragma(name) for name in asked.split()] == ["wal", 1, 1, 0, 0, 1]


def test_a_reader_refuses_to_write(tmp_path: Path) -> None:
    open_writer(tmp_path / "index.db").close()

    with closing(open_reader(tmp_path / "index.db")) as connection:
        assert (connection.pragma("query_only"), connection.readonly("main")) == (1, True)
        with pytest.raises(apsw.ReadOnlyError):
            connection.execute("DELETE FROM line")


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (apsw.FullError("full"), StoreFull),
        (apsw.ReadOnlyError("ro"), StoreFull),
        (apsw.CorruptError("malformed"), StoreCorrupt),
        (apsw.NotADBError("no"), StoreCorrupt),
        (apsw.BusyError("busy"), StoreBusy),
        (apsw.SQLError("syntax"), StoreError),
    ],
)
def test_errors_say_what_they_mean_for_us(error: apsw.Error, ours: type[StoreError]) -> None:
    with pytest.raises(ours, match=r"/home/x\.db"), in_our_words(Path("/home/x.db")):
        raise error


def test_errors_of_others_pass() -> None:
    with pytest.raises(ZeroDivisionError), in_our_words(Path("x")):
        raise ZeroDivisionError


def test_a_connection_goes_from_hand_to_hand(tmp_path: Path) -> None:
    open_writer(tmp_path / "index.db").close()
    made: list[apsw.Connection] = []
    readers = ReaderPool(tmp_path / "index.db", made.append)
    for _ in range(3):
        readers.every("SELECT * FROM meta")
    with readers.take() as one, readers.take() as other:
        assert one is not other
    readers.close()

    assert len(made) == 2


def test_after_a_crowd_a_few_connections_stay(tmp_path: Path) -> None:
    readers = ReaderPool(tmp_path / "index.db", lambda _: None)
    with ExitStack() as crowd:
        every = [crowd.enter_context(readers.take()) for _ in range(20)]
        assert len(set(map(id, every))) == 20
    with closing(readers):
        assert len(readers._idle) == 6


def test_a_file_that_was_replaced_is_opened_anew(sqlite: SqliteStore, tmp_path: Path) -> None:
    sqlite.commit([Source().line("old").batch()])
    with closing(SqliteStore(tmp_path / "other")) as other:
        other.commit([Source().line("new").batch()])
    with closing(SqliteStore(sqlite.home, mode="ro")) as reader:
        before = len(reader.search(TextQuery(terms="old")))
        sqlite.close()
        (tmp_path / "other" / "index.db").rename(sqlite.home / NEW)
        swap(sqlite.home)

        assert before == len(reader.search(TextQuery(terms="new"))) == 1


def test_a_directory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()

    with pytest.raises(StoreFull, match="cannot be written"):
        open_writer(tmp_path / "index.db")


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database at all" * 100)

    with pytest.raises(StoreCorrupt, match="rebuild"):
        open_writer(tmp_path / "index.db")


def test_a_file_that_is_being_made_is_empty_until_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "index.db").touch()
    with closing(SqliteStore(tmp_path, mode="ro")) as reader:
        before = reader.sources()
        with closing(SqliteStore(tmp_path)) as writer:
            writer.commit([Source().line("x").batch()])

            assert (before, len(reader.sources())) == ([], 1)


def test_another_programs_file_is_said_to_be_one(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as connection:
        connection.execute("CREATE TABLE other (x)")

    with pytest.raises(StoreError, match="belongs to another program"):
        open_reader(tmp_path / "index.db")


def test_a_log_that_has_grown_too_long_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_LOG", 1024**2)
    path, log = tmp_path / "index.db", tmp_path / "index.db-wal"

    assert log_trouble(path) == ""
    log.write_bytes(b"x" * 1024**2)
    assert log_trouble(path) == ""
    log.write_bytes(b"x" * (1024**2 + 1))
    assert log_trouble(path).startswith("index.db-wal has grown to 1 MiB, ")
