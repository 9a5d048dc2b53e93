import apsw
import pytest

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.search import vocabulary
from unspool.store.sqlite.search.vocabulary import words_with, words_with_prefix
from unspool.store.sqlite.writing.texts import mark


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    made.execute("INSERT INTO said (rowid, body) VALUES (1, 'lan lantern lanterns late')")
    made.execute("INSERT INTO output (rowid, body) VALUES (2, 'lantern language')")
    made.execute("PRAGMA query_only = ON")
    return made


def test_the_words_of_an_index_that_begin_so_are_listed(connection: apsw.Connection) -> None:
    assert words_with_prefix(connection, "said", "lan") == ["lan", "lantern", "lanterns"]
    assert words_with_prefix(connection, "output", "lan") == ["language", "lantern"]


def test_no_word_may_begin_so(connection: apsw.Connection) -> None:
    assert (
        words_with_prefix(connection, "said", "x"),
        words_with_prefix(connection, "output", "la0"),
    ) == ([], [])


def test_words_that_stand_in_many_places_hide_no_others(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA query_only = OFF")
    rows = [(n, "lantern " * n) for n in range(3, 12)]
    connection.executemany("INSERT INTO said (rowid, body) VALUES (?, ?)", rows)

    assert words_with_prefix(connection, "said", "lan") == ["lan", "lantern", "lanterns"]


def test_too_many_are_not_listed(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "_MOST_WORDS", 2)

    assert words_with_prefix(connection, "said", "lan") is None


def test_afterwards_the_connection_still_cannot_write(connection: apsw.Connection) -> None:
    words_with_prefix(connection, "said", "lan")

    with pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM meta")


def test_the_words_of_both_indexes_that_contain_a_part_are_listed(
    connection: apsw.Connection,
) -> None:
    assert words_with(connection, ["ter", "late", "x"], 9) == {
        "ter": ["lantern", "lanterns"],
        "late": ["late"],
        "x": [],
    }


def test_more_words_than_wanted_are_not_listed(connection: apsw.Connection) -> None:
    assert words_with(connection, ["lan", "late"], 3) == {"lan": None, "late": ["late"]}


def test_a_part_is_folded_as_words_are(connection: apsw.Connection) -> None:
    assert words_with(connection, ["T\u00c9RN"], 9) == {"T\u00c9RN": ["lantern", "lanterns"]}


def test_what_is_not_one_part_of_a_word_says_nothing(connection: apsw.Connection) -> None:
    assert words_with(connection, ["lan tern", "!"], 9) == {"lan tern": None, "!": None}


def test_the_kinds_of_lines_are_no_words(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA query_only = OFF")
    body = f"{mark('tool_input')}\ninput"
    connection.execute("INSERT INTO said (rowid, body) VALUES (3, ?)", (body,))

    assert words_with(connection, ["input"], 9) == {"input": ["input"]}


@pytest.mark.parametrize("letter", ["b", "か"])
def test_a_word_too_long_for_the_index_may_contain_anything(
    connection: apsw.Connection, letter: str
) -> None:
    connection.execute("PRAGMA query_only = OFF")
    body = letter * 33_000 + "tail"
    connection.execute("INSERT INTO said (rowid, body) VALUES (3, ?)", (body,))

    assert words_with(connection, ["tail"], 9) == {"tail": [f"{letter * 100}*"]}
