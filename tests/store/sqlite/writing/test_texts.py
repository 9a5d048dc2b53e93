import apsw
import pytest

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.writing.pending import PendingWrites
from unspool.store.sqlite.writing.texts import Texts


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    return made


def found(connection: apsw.Connection, table: str, word: str) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT rowid FROM {table} (?)", (word,)).fetchall()  # noqa: S608


def test_texts_wait_until_they_are_written(connection: apsw.Connection) -> None:
    pending = PendingWrites(connection)
    Texts(connection, pending).add([(1, "ash"), (2, "birch")], [(3, "ash")])
    before = found(connection, "said", "ash")
    pending.write()

    assert before == []
    assert (found(connection, "said", "ash"), found(connection, "output", "ash")) == (
        [(1,)],
        [(3,)],
    )
