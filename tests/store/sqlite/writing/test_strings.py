import apsw
import pytest

from tests.store.made import Source
from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.writing import strings as module
from unspool.store.sqlite.writing.strings import StringTable


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    return made


def test_a_word_keeps_its_number(connection: apsw.Connection) -> None:
    words = StringTable(connection)
    numbers = [words.word(text) for text in ("", "bash", "read", "bash")]

    assert numbers == [0, 1, 2, 1]
    assert StringTable(connection).word("read") == 2


def test_kinds_differ_in_any_part(connection: apsw.Connection) -> None:
    words = StringTable(connection)
    batch = Source().line().line(model="m").line().batch()

    assert [words.kind(line) for line in batch.lines] == [1, 2, 1]


def test_a_session_begins_by_being_asked_for(connection: apsw.Connection) -> None:
    words = StringTable(connection)

    assert words.session("-repo", "s1") == words.session("-repo", "s1")
    assert words.session("-repo", "s1") != words.session("-other", "s1")
    assert connection.execute("SELECT count(*), sum(is_displayable) FROM session").get == (2, 0)


def test_what_is_forgotten_is_looked_up_again(connection: apsw.Connection) -> None:
    words = StringTable(connection)
    connection.execute("BEGIN")
    words.word("gone")
    connection.execute("ROLLBACK")
    words.forget()
    words.word("other")

    assert words.word("gone") == 2


def test_memory_is_bounded(connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 10)
    words = StringTable(connection)
    first = [words.word(f"w{n}") for n in range(35)]

    assert len(words._words) <= 10
    assert len(words._words.added) <= 10
    assert [words.word(f"w{n}") for n in range(35)] == first
