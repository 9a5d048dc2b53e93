from contextlib import closing
from pathlib import Path

import apsw
import pytest

from unspool.store.sqlite.connection import open_writer
from unspool.store.sqlite.running import deadline, transaction

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


def broken(connection: apsw.Connection) -> None:
    with transaction(connection):
        connection.execute("INSERT INTO meta VALUES ('a', 'b')")
        raise ZeroDivisionError


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "index.db")) as connection:
        with pytest.raises(ZeroDivisionError):
            broken(connection)

        assert connection.execute("SELECT count(*) FROM meta").get == 0
        assert not connection.in_transaction


def test_a_transaction_that_goes_well_stays(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "index.db")) as connection:
        with transaction(connection):
            connection.execute("INSERT INTO meta VALUES ('a', 'b')")

        assert connection.execute("SELECT count(*) FROM meta").get == 1


def test_a_question_that_takes_too_long_is_interrupted() -> None:
    connection = apsw.Connection(":memory:")
    with pytest.raises(apsw.InterruptError), deadline(connection, 0.05) as is_late:
        connection.execute(ENDLESS).fetchall()

    assert is_late()
    assert connection.execute("SELECT 1").get == 1
