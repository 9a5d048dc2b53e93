import apsw
import pytest

from unspool.store.sqlite.finding import vocabulary
from unspool.store.sqlite.finding.vocabulary import beginning
from unspool.store.sqlite.migrations import create


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    made.execute("INSERT INTO said (rowid, body) VALUES (1, 'lan lantern lanterns late')")
    made.execute("INSERT INTO output (rowid, body) VALUES (2, 'lantern language')")
    made.execute("PRAGMA query_only = ON")
    return made


def test_the_words_of_an_index_that_begin_so_are_listed(connection: apsw.Connection) -> None:
    assert beginning(connection, "said", "lan") == ["lan", "lantern", "lanterns"]
    assert beginning(connection, "output", "lan") == ["language", "lantern"]


def test_no_word_may_begin_so(connection: apsw.Connection) -> None:
    assert (beginning(connection, "said", "x"), beginning(connection, "output", "la0")) == ([], [])


def test_words_that_stand_in_many_places_hide_no_others(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA query_only = OFF")
    rows = [(n, "lantern " * n) for n in range(3, 12)]
    connection.executemany("INSERT INTO said (rowid, body) VALUES (?, ?)", rows)

    assert beginning(connection, "said", "lan") == ["lan", "lantern", "lanterns"]


def test_too_many_are_not_listed(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "MOST", 2)

    assert beginning(connection, "said", "lan") is None


def test_afterwards_the_connection_still_cannot_write(connection: apsw.Connection) -> None:
    beginning(connection, "said", "lan")

    with pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM meta")
