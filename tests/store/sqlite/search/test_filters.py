import pytest

from tests.store.made import START, Source
from unspool.model.query import TextQuery
from unspool.store.sqlite.search.filters import LineFilter, select_sources
from unspool.store.sqlite.search.matching import TermMatcher
from unspool.store.sqlite.search.ranges import Range
from unspool.store.sqlite.store import SqliteStore
from unspool.store.terms import terms


@pytest.fixture
def full(sqlite: SqliteStore) -> SqliteStore:
    """Two files of three lines, a second apart: a prompt, an answer, and what a tool put out."""
    for number in (1, 2):
        source = Source(number, f"s{number}", at=START).line("word").line("word", "answer")
        sqlite.commit([source.line("word", "tool_result").batch()])
    return sqlite


def line_filter(
    store: SqliteStore,
    query: TextQuery,
    until: int | None = None,
    sources: frozenset[int] | None = None,
) -> LineFilter:
    with store._readers.take() as connection:
        return LineFilter(connection, query, TermMatcher(connection, terms("word")), until, sources)


def test_words_alone_are_not_selective(full: SqliteStore) -> None:
    by_kind = line_filter(full, TextQuery(kinds=("answer",)))

    assert (line_filter(full, TextQuery()).is_selective, by_kind.is_selective) == (False, True)


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
    found = line_filter(full, query, until, sources).by_number([1, 2, 3, 4, 5, 6], "l.id")

    assert found == [(number,) for number in numbers]


def test_in_ranges_the_index_is_asked_for_words_and_kinds(full: SqliteStore) -> None:
    one = line_filter(full, TextQuery(kinds=("answer",)), sources=frozenset([1]))

    assert one.in_ranges("said", [Range(1, 3), Range(4, 6)], "said.rowid") == [(2,)]


def test_what_tools_put_out_has_no_kinds_in_its_index(full: SqliteStore) -> None:
    one = line_filter(full, TextQuery(kinds=("tool_result",)))

    assert one.expression("output") == '("word")'
    assert one.in_ranges("output", [Range(1, 6)], "output.rowid") == [(3,), (6,)]


def test_no_numbers_have_no_lines(full: SqliteStore) -> None:
    assert line_filter(full, TextQuery()).by_number([], "l.id") == []


@pytest.fixture
def four_sessions(sqlite: SqliteStore) -> SqliteStore:
    """Sessions of three projects, a hundred lines each."""
    given = (("s1", "-home-Kettle"), ("s2", "-home-pot"), ("t3", "-home-kettle-2"), ("s4", "-x"))
    for number, (session, project) in enumerate(given, 1):
        source = Source(number, session, project=project)
        for _ in range(100):
            source.line("word")
        sqlite.commit([source.batch()])
    return sqlite


def spans(store: SqliteStore, **asked: object) -> list[Range]:
    with store._readers.take() as connection:
        return select_sources(connection, TextQuery(**asked))[1]  # type: ignore[arg-type]


def test_projects_are_selected_by_their_whole_ids(four_sessions: SqliteStore) -> None:
    kettles = "-home-Kettle", "-home-kettle-2"

    assert spans(four_sessions, projects=kettles) == [Range(1, 100), Range(201, 300)]
    assert spans(four_sessions, projects=("-x",)) == [Range(301, 400)]
    assert spans(four_sessions, projects=("-home",)) == spans(four_sessions, projects=()) == []


def test_neighbours_make_one_span(four_sessions: SqliteStore) -> None:
    projects = "-home-Kettle", "-home-pot", "-home-kettle-2"

    assert spans(four_sessions, projects=projects) == [Range(1, 300)]


def test_a_session_is_selected_by_its_beginning(four_sessions: SqliteStore) -> None:
    assert spans(four_sessions, session="s") == [Range(1, 200), Range(301, 400)]


def test_both_must_fit(four_sessions: SqliteStore) -> None:
    kettles = "-home-Kettle", "-home-kettle-2"

    assert spans(four_sessions, session="s", projects=kettles) == [Range(1, 100)]
    assert spans(four_sessions, session="t", projects=("-home-pot",)) == []
