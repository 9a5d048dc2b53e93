import apsw

from unspool.store.sqlite.writing.pile import Pile

ADD = "INSERT INTO word VALUES (?)"


def made() -> tuple[apsw.Connection, Pile]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE word (text)")
    return connection, Pile(connection)


def words(connection: apsw.Connection) -> list[object]:
    return [text for (text,) in connection.execute("SELECT text FROM word ORDER BY rowid")]


def test_rows_wait_until_they_are_written() -> None:
    connection, pile = made()
    pile.add(ADD, ("ash",))
    pile.add(ADD, ("birch",))
    before = words(connection)
    pile.write()

    assert (before, words(connection)) == ([], ["ash", "birch"])


def test_rows_are_written_once() -> None:
    connection, pile = made()
    pile.add(ADD, ("ash",))
    pile.write()
    pile.write()

    assert words(connection) == ["ash"]


def test_what_is_forgotten_is_not_written() -> None:
    connection, pile = made()
    pile.add(ADD, ("ash",))
    pile.forget()
    pile.write()

    assert words(connection) == []


def test_rows_of_one_statement_are_written_in_the_order_they_came() -> None:
    connection, pile = made()
    pile.extend(ADD, ((number,) for number in range(3)))
    pile.add(ADD, (3,))
    pile.write()

    assert words(connection) == [0, 1, 2, 3]
