import apsw
import pytest

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.writing.texts import Texts, note_times

DAY = 86_400_000


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    return made


def blocks(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT * FROM block").fetchall()


def found(connection: apsw.Connection, table: str, word: str) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT rowid FROM {table} (?)", (word,)).fetchall()  # noqa: S608


def test_texts_wait_until_they_are_written(connection: apsw.Connection) -> None:
    texts = Texts(connection)
    texts.add([(1, "ash"), (2, "birch")], [(3, "ash")])
    before = found(connection, "said", "ash")
    texts.write()

    assert before == []
    assert (found(connection, "said", "ash"), found(connection, "output", "ash")) == (
        [(1,)],
        [(3,)],
    )


def test_what_is_forgotten_is_not_written(connection: apsw.Connection) -> None:
    texts = Texts(connection)
    texts.add([(1, "ash")], [])
    texts.forget()
    texts.write()

    assert found(connection, "said", "ash") == []


def test_lines_of_one_time_make_one_block(connection: apsw.Connection) -> None:
    note_times(connection, 1, [100, 300, 200])
    note_times(connection, 4, [400])

    assert blocks(connection) == [(1, 4, 100, 400)]


def test_lines_of_another_time_begin_a_block(connection: apsw.Connection) -> None:
    note_times(connection, 1, [5 * DAY])
    note_times(connection, 2, [2 * DAY])

    assert blocks(connection) == [(1, 1, 5 * DAY, 5 * DAY), (2, 2, 2 * DAY, 2 * DAY)]


def test_blocks_are_not_too_long(connection: apsw.Connection) -> None:
    note_times(connection, 1, list(range(5000)))
    note_times(connection, 5001, [5000])

    assert blocks(connection) == [
        (1, 2048, 0, 2047),
        (2049, 4096, 2048, 4095),
        (4097, 5001, 4096, 5000),
    ]


def test_no_lines_make_no_block(connection: apsw.Connection) -> None:
    note_times(connection, 1, [])

    assert blocks(connection) == []
