import pytest

from tests.store.made import START, Source
from unspool.model.query import TextQuery
from unspool.store.sqlite.finding.asked import Asked
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.ranges import Range
from unspool.store.sqlite.store import SqliteStore
from unspool.store.terms import terms

DAY = 86_400_000


@pytest.fixture
def full(sqlite: SqliteStore) -> SqliteStore:
    """Three days that came in no order, a hundred lines each."""
    for number, day in enumerate((5, 9, 1), 1):
        source = Source(number, f"s{number}", project=f"-p{number}", at=START + day * DAY)
        for _ in range(100):
            source.line("word", "answer")
        sqlite.commit([source.batch()])
    return sqlite


def asked(store: SqliteStore, query: TextQuery) -> Asked:
    with store._readers.take() as connection:
        return Asked(connection, query, Matching(connection, terms(query.terms)))


def test_steps_go_back_in_time(full: SqliteStore) -> None:
    steps = [ranges for ranges, _ in asked(full, TextQuery(terms="word")).steps()]

    assert steps == [[Range(101, 200)], [Range(1, 100)], [Range(201, 300)]]


def test_only_the_numbers_of_what_was_asked_for_are_looked_at(full: SqliteStore) -> None:
    one = asked(full, TextQuery(terms="word", project="P3"))

    assert one.spans == [Range(201, 300)]
    assert [ranges for ranges, _ in one.steps()] == [[Range(201, 300)]]


def test_a_project_nobody_has_is_looked_for_nowhere(full: SqliteStore) -> None:
    one = asked(full, TextQuery(terms="word", project="p4"))

    assert (one.spans, list(one.steps())) == ([], [])


def test_few_and_many_are_told_for_each_index(full: SqliteStore) -> None:
    assert asked(full, TextQuery(terms="word")).tables_with_less_than(300) == (["output"], ["said"])


def test_the_index_itself_tells_kinds_apart(full: SqliteStore) -> None:
    answers = TextQuery(terms="word", kinds=("answer",))
    prompts = TextQuery(terms="word", kinds=("prompt",))

    assert asked(full, answers).tables_with_less_than(50) == ([], ["said"])
    assert asked(full, prompts).tables_with_less_than(50) == (["said"], [])
