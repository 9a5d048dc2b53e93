import pytest

from tests.store.made import START, Source
from unspool.model.query import TextQuery
from unspool.store.sqlite.finding.fitting import Fitting
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.ranges import Range
from unspool.store.sqlite.store import SqliteStore
from unspool.store.terms import terms


@pytest.fixture
def full(sqlite: SqliteStore) -> SqliteStore:
    """Two files of three lines, a second apart: a prompt, an answer, and what a tool put out."""
    for number in (1, 2):
        source = Source(number, f"s{number}", at=START).line("word").line("word", "answer")
        sqlite.commit([source.line("word", "tool_result").batch()])
    return sqlite


def fitting(
    store: SqliteStore,
    query: TextQuery,
    until: int | None = None,
    sources: frozenset[int] | None = None,
) -> Fitting:
    with store._readers.take() as connection:
        return Fitting(connection, query, Matching(connection, terms("word")), until, sources)


def test_words_alone_make_nobody_choosy(full: SqliteStore) -> None:
    chosen = fitting(full, TextQuery(kinds=("answer",)))

    assert (fitting(full, TextQuery()).is_choosy, chosen.is_choosy) == (False, True)


@pytest.mark.parametrize(
    ("query", "until", "sources", "numbers"),
    [
        (TextQuery(), None, None, [1, 2, 3, 4, 5, 6]),
        (TextQuery(since=START + 2000), None, None, [2, 3, 5, 6]),
        (TextQuery(), START + 1000, None, [1, 4]),
        (TextQuery(kinds=("answer", "tool_result")), None, None, [2, 3, 5, 6]),
        (TextQuery(), None, frozenset([2]), [4, 5, 6]),
    ],
)
def test_of_listed_lines_those_that_fit_are_given(
    full: SqliteStore,
    query: TextQuery,
    until: int | None,
    sources: frozenset[int] | None,
    numbers: list[int],
) -> None:
    found = fitting(full, query, until, sources).listed([1, 2, 3, 4, 5, 6], "l.id")

    assert found == [(number,) for number in numbers]


def test_in_ranges_the_index_is_asked_for_words_and_kinds(full: SqliteStore) -> None:
    one = fitting(full, TextQuery(kinds=("answer",)), sources=frozenset([1]))

    assert one.within("said", [Range(1, 3), Range(4, 6)], "said.rowid") == [(2,)]


def test_what_tools_put_out_has_no_kinds_in_its_index(full: SqliteStore) -> None:
    one = fitting(full, TextQuery(kinds=("tool_result",)))

    assert one.expression("output") == '("word")'
    assert one.within("output", [Range(1, 6)], "output.rowid") == [(3,), (6,)]


def test_no_numbers_have_no_lines(full: SqliteStore) -> None:
    assert fitting(full, TextQuery()).listed([], "l.id") == []
