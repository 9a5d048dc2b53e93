import apsw
import pytest

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.search import postings
from unspool.store.sqlite.search.postings import Postings
from unspool.store.sqlite.search.ranges import Range

HULL = Range(1, 1000)


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> apsw.Connection:
    """An index where every tenth line has a word, every hundredth another; five of them are few."""
    monkeypatch.setattr(postings, "_FIRST_READ", 5)
    monkeypatch.setattr(postings, "_SEEK_LINES", 10)
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    rows = [(n, "often seldom" if n % 100 == 0 else "often") for n in range(10, 1001, 10)]
    made.executemany("INSERT INTO said (rowid, body) VALUES (?, ?)", rows)
    return made


def asked(connection: apsw.Connection) -> list[tuple[int, int]]:
    """The ranges that are asked for from now on."""
    noted: list[tuple[int, int]] = []

    def note(_cursor: apsw.Cursor, _ask: str, values: tuple[str, int, int, int]) -> bool:
        noted.append(values[1:3])
        return True

    connection.exec_trace = note  # type: ignore[assignment]
    return noted


def test_only_numbers_within_the_ranges_are_given(connection: apsw.Connection) -> None:
    one = Postings(connection, "said", '"often"', HULL)

    assert one.within([Range(1, 20), Range(25, 31), Range(95, 101)]) == [10, 20, 30, 100]


def test_ranges_close_together_are_asked_for_in_one(connection: apsw.Connection) -> None:
    one, noted = Postings(connection, "said", '"often"', HULL), asked(connection)
    one.within([Range(1, 20), Range(30, 31), Range(95, 101)])

    assert noted == [(1, 31), (95, 101)]


def test_a_few_are_known_at_once(connection: apsw.Connection) -> None:
    one = Postings(connection, "said", '"seldom"', Range(1, 400))

    assert one.count_if_few() == 4
    noted = asked(connection)
    assert (one.within([Range(150, 350)]), noted) == ([200, 300], [])


def test_a_few_more_are_asked_for_where_the_first_left_off(connection: apsw.Connection) -> None:
    one, noted = Postings(connection, "said", '"seldom"', HULL), asked(connection)

    assert one.count_if_few() == 10
    assert noted == [(1, 1000), (501, 1000)]


def test_of_many_it_is_not_said_how_many(connection: apsw.Connection) -> None:
    assert Postings(connection, "said", '"often"', HULL).count_if_few() is None


def test_the_rest_is_read_once_ranges_have_cost_as_much(connection: apsw.Connection) -> None:
    one = Postings(connection, "said", '"often"', HULL)
    one.count_if_few()
    noted, wanted = asked(connection), list(range(60, 1000, 10))

    # The first five are within 50 numbers, and 950 are left: 87 ranges of 1 and a seek of 10.
    assert [one.within([Range(n, n)]) for n in wanted] == [[n] for n in wanted]
    assert (len(noted), noted[-1]) == (88, (51, 1000))
