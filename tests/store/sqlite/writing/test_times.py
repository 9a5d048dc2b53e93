import apsw
import pytest

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.writing.pile import Pile
from unspool.store.sqlite.writing.times import Times

DAY = 86_400_000


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    return made


def noted(connection: apsw.Connection, *runs: list[int]) -> list[tuple[object, ...]]:
    """Note runs of lines one after the other, each in a transaction; the blocks there are then."""
    pile = Pile(connection)
    times, first = Times(connection, pile), 1
    for run in runs:
        times.note(first, run)
        times.write()
        pile.write()
        first += len(run)
    return connection.execute("SELECT * FROM block").fetchall()


def test_lines_of_one_time_make_one_block(connection: apsw.Connection) -> None:
    assert noted(connection, [100, 300, 200], [400]) == [(1, 4, 100, 400)]


def test_lines_of_another_time_begin_a_block(connection: apsw.Connection) -> None:
    assert noted(connection, [5 * DAY], [2 * DAY]) == [
        (1, 1, 5 * DAY, 5 * DAY),
        (2, 2, 2 * DAY, 2 * DAY),
    ]


def test_blocks_are_not_too_long(connection: apsw.Connection) -> None:
    assert noted(connection, list(range(5000)), [5000]) == [
        (1, 2048, 0, 2047),
        (2049, 4096, 2048, 4095),
        (4097, 5001, 4096, 5000),
    ]


def test_no_lines_make_no_block(connection: apsw.Connection) -> None:
    assert noted(connection, []) == []


def test_the_block_before_is_read_back(connection: apsw.Connection) -> None:
    noted(connection, [100, 200])
    times = Times(connection, pile := Pile(connection))
    times.note(3, [300])
    times.write()
    pile.write()

    assert connection.execute("SELECT * FROM block").fetchall() == [(1, 3, 100, 300)]


def test_what_a_rollback_took_back_is_no_block_before(connection: apsw.Connection) -> None:
    times = Times(connection, pile := Pile(connection))
    times.note(1, [100])
    times.forget()
    times.note(1, [500])
    times.write()
    pile.write()

    assert connection.execute("SELECT * FROM block").fetchall() == [(1, 1, 500, 500)]
