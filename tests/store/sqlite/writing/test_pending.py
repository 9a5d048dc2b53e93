import apsw

from unspool.store.sqlite.writing.pending import PendingWrites

ADD = "INSERT INTO word VALUES (?)"


def made() -> tuple[apsw.Connection, PendingWrites]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE word (text)")
    return connection, PendingWrites(connection)


def words(connection: apsw.Connection) -> list[object]:
    return [text for (text,) in connection.execute("SELECT text FROM word ORDER BY rowid")]


def test_rows_wait_until_they_are_written() -> None:
    connection, pending = made()
    pending.add(ADD, ("ash",))
    pending.add(ADD, ("birch",))
    before = words(connection)
    pending.write()

    assert (before, words(connection)) == ([], ["ash", "birch"])


def test_rows_are_written_once() -> None:
    connection, pending = made()
    pending.add(ADD, ("ash",))
    pending.write()
    pending.write()

    assert words(connection) == ["ash"]


def test_what_is_forgotten_is_not_written() -> None:
    connection, pending = made()
    pending.add(ADD, ("ash",))
    pending.forget()
    pending.write()

    assert words(connection) == []


def test_rows_of_one_statement_are_written_in_the_order_they_came() -> None:
    connection, pending = made()
    pending.extend(ADD, ((number,) for number in range(3)))
    pending.add(ADD, (3,))
    pending.write()

    assert words(connection) == [0, 1, 2, 3]
