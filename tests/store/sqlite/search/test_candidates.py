import pytest

from tests.store.made import START, Source
from unspool.model.query import TextQuery
from unspool.store.sqlite.search import candidates as module
from unspool.store.sqlite.search.candidates import Candidates
from unspool.store.sqlite.search.matching import TermMatcher
from unspool.store.sqlite.search.ranges import Range
from unspool.store.sqlite.store import SqliteStore
from unspool.store.terms import terms

DAY = 86_400_000
SPLIT = [Range(1, 100), Range(201, 301)]


@pytest.fixture
def full(sqlite: SqliteStore) -> SqliteStore:
    """Three days that came in no order, a hundred lines each."""
    for number, day in enumerate((5, 9, 1), 1):
        source = Source(number, f"s{number}", project=f"-p{number}", at=START + day * DAY)
        for _ in range(100):
            source.line("word", "answer")
        sqlite.commit([source.batch()])
    return sqlite


def candidates(store: SqliteStore, query: TextQuery) -> Candidates:
    with store._readers.take() as connection:
        return Candidates(connection, query, TermMatcher(connection, terms(query.terms)))


def looked_at(store: SqliteStore, query: TextQuery) -> list[list[Range]]:
    return [ranges for ranges, _ in candidates(store, query).steps() if ranges]


def test_steps_go_back_in_time(full: SqliteStore) -> None:
    steps = looked_at(full, TextQuery(terms="word", limit=1))

    assert steps == [[Range(101, 200)], [Range(1, 100), Range(201, 300)]]


def test_few_lines_are_looked_at_in_one_step(full: SqliteStore) -> None:
    full.commit([Source(4, "s4", at=START).line("rare").batch()])

    assert looked_at(full, TextQuery(terms="rare")) == [[Range(101, 200)], SPLIT]
    assert looked_at(full, TextQuery(terms="rare nowhere")) == [[Range(1, 301)]]


def test_before_anything_is_known_a_step_says_how_far_the_first_goes(full: SqliteStore) -> None:
    ends = [end for _, end in candidates(full, TextQuery(terms="word")).steps()]

    assert [end // DAY - START // DAY for end in ends[:2]] == [9, 5]


def test_only_the_numbers_of_what_was_asked_for_are_looked_at(full: SqliteStore) -> None:
    one = candidates(full, TextQuery(terms="word", projects=("-p3",)))

    assert one.spans == [Range(201, 300)]
    assert [ranges for ranges, _ in one.steps() if ranges] == [[Range(201, 300)]]


def test_a_project_nobody_has_is_looked_for_nowhere(full: SqliteStore) -> None:
    one = candidates(full, TextQuery(terms="word", projects=("-p4",)))

    assert (one.spans, list(one.steps())) == ([], [])


def test_strides_pass_over_what_was_seen_and_count_it(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONG", 100)
    for number, day in enumerate((1, 9, 7, 3), 1):
        source = Source(number, f"s{number}", at=START + day * DAY)
        for _ in range(100):
            source.line("word")
        sqlite.commit([source.batch()])
    *_, last = candidates(sqlite, TextQuery(terms="word")).strides()

    assert last == ([Range(1, 100), Range(301, 400)], 400)


def test_few_and_many_are_told_for_each_index(full: SqliteStore) -> None:
    assert candidates(full, TextQuery(terms="word")).split_tables(300) == (["output"], ["said"])


def test_the_index_itself_tells_kinds_apart(full: SqliteStore) -> None:
    answers = TextQuery(terms="word", kinds=("answer",))
    prompts = TextQuery(terms="word", kinds=("prompt",))

    assert candidates(full, answers).split_tables(50) == ([], ["said"])
    assert candidates(full, prompts).split_tables(50) == (["said"], [])
