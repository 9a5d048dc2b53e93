from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.store.made import Source
from unspool.errors import SchemaTooNew
from unspool.model.query import TextQuery
from unspool.store.sqlite import migrations
from unspool.store.sqlite.migrations import ARCHIVE_STEPS, INDEX_VERSION, create
from unspool.store.sqlite.store import SqliteStore


def newer(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA user_version = 99")


def test_a_new_file_has_the_newest_version() -> None:
    connection = apsw.Connection(":memory:")
    create(connection, "index.db")

    assert connection.pragma("user_version") == INDEX_VERSION


def test_creating_again_changes_nothing() -> None:
    connection = apsw.Connection(":memory:")
    create(connection, "raw.db")
    create(connection, "raw.db")

    assert connection.pragma("user_version") == len(ARCHIVE_STEPS)


def test_each_step_is_taken_once_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def second(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE second (x)")

    connection = apsw.Connection(":memory:")
    create(connection, "raw.db")
    monkeypatch.setattr(migrations, "ARCHIVE_STEPS", (*ARCHIVE_STEPS, second))
    create(connection, "raw.db")

    assert connection.pragma("user_version") == len(ARCHIVE_STEPS) + 1
    assert connection.table_exists("main", "second")


def test_a_step_that_fails_leaves_the_version_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE half (x)")
        connection.execute("CREATE TABLE half (x)")

    connection = apsw.Connection(":memory:")
    create(connection, "raw.db")
    monkeypatch.setattr(migrations, "ARCHIVE_STEPS", (*ARCHIVE_STEPS, broken))
    with pytest.raises(apsw.SQLError):
        create(connection, "raw.db")

    assert connection.pragma("user_version") == len(ARCHIVE_STEPS)
    assert not connection.table_exists("main", "half")


@pytest.mark.parametrize("name", ["index.db", "raw.db"])
def test_a_newer_file_is_not_written(tmp_path: Path, name: str) -> None:
    SqliteStore(tmp_path).close()
    newer(tmp_path / name)

    with pytest.raises(SchemaTooNew, match="version 99"):
        SqliteStore(tmp_path)
    with pytest.raises(SchemaTooNew):
        SqliteStore(tmp_path)


def test_a_newer_index_can_be_read_and_says_so(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.commit([Source().line("word").batch()])
    newer(tmp_path / "index.db")

    with closing(SqliteStore(tmp_path, mode="ro")) as reader:
        assert len(reader.search(TextQuery(terms="word"))) == 1
        assert any("version 99" in said for said in reader.status().trouble)


def test_an_archive_without_outputs_gets_room_for_them() -> None:
    connection = apsw.Connection(":memory:")
    migrations.first_archive(connection)
    connection.execute("PRAGMA user_version = 1")
    create(connection, "raw.db")

    assert connection.table_exists("main", "output")
