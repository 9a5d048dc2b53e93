import pytest

from tests.store.made import Source
from unspool.model.query import TextQuery
from unspool.store.sqlite.finding.chosen import chosen
from unspool.store.sqlite.finding.ranges import Range
from unspool.store.sqlite.store import SqliteStore


@pytest.fixture
def full(sqlite: SqliteStore) -> SqliteStore:
    """Sessions of three projects, a hundred lines each."""
    given = (("s1", "-home-Kettle"), ("s2", "-home-pot"), ("t3", "-home-kettle-2"), ("s4", "-x"))
    for number, (session, project) in enumerate(given, 1):
        source = Source(number, session, project=project)
        for _ in range(100):
            source.line("word")
        sqlite.commit([source.batch()])
    return sqlite


def spans(store: SqliteStore, **asked: str) -> list[Range]:
    with store._readers.take() as connection:
        return chosen(connection, TextQuery(**asked))[1]  # type: ignore[arg-type]


def test_a_project_is_chosen_by_a_part_of_its_name_in_any_case(full: SqliteStore) -> None:
    assert spans(full, project="KETTLE") == [Range(1, 100), Range(201, 300)]
    assert spans(full, project="-x") == [Range(301, 400)]


def test_neighbours_make_one_span(full: SqliteStore) -> None:
    assert spans(full, project="home") == [Range(1, 300)]


def test_a_session_is_chosen_by_its_beginning(full: SqliteStore) -> None:
    assert spans(full, session="s") == [Range(1, 200), Range(301, 400)]


def test_both_must_fit(full: SqliteStore) -> None:
    assert spans(full, session="s", project="kettle") == [Range(1, 100)]
    assert spans(full, session="t", project="pot") == []
