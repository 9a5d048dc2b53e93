"""How many lines a search finds, by session and kind: as many as a search of all of them gives."""

from collections import Counter

import pytest
from msgspec import structs

from tests.store.made import START, Source
from tests.store.stores import AnyStore
from unspool.model.query import HitCount, TextQuery


@pytest.fixture
def spoken(store: AnyStore) -> AnyStore:
    """Two sessions of two projects."""
    first = Source().line("Fix the lantern, please").line("lanterns are hard", "thinking")
    first.line("grep lantern src/main.py", "tool_input").line("the lantern burns", "tool_result")
    first.line("a lantern, and the fixed one", "tool_result").line("The LANTERN is fixed", "answer")
    other = Source(2, "s2", project="-other", at=START + 60_000).line("another lantern")
    store.commit([first.batch(), other.batch()])
    return store


def plainly_counted(store: AnyStore, query: TextQuery) -> dict[tuple[str, str, str], int]:
    everything = structs.replace(query, kinds=(), before=None, limit=1_000)
    return Counter(
        (hit.project_id, hit.session_id, hit.text_kind) for hit in store.search(everything)
    )


@pytest.mark.parametrize(
    "query",
    [
        TextQuery(terms="lantern"),
        TextQuery(terms="lantern*", kinds=("answer",), limit=1),
        TextQuery(terms='"the lantern"'),
        TextQuery(terms='"the fixed"'),
        TextQuery(terms="lantern", session="s1"),
        TextQuery(terms="lantern", projects=("-other",)),
        TextQuery(terms="lantern", since=START + 3000),
        TextQuery(terms="lantern", until=START + 3000),
        TextQuery(terms="absent"),
        TextQuery(terms="!!!"),
    ],
)
def test_counts_are_those_of_a_search_without_kinds(spoken: AnyStore, query: TextQuery) -> None:
    counts = spoken.count_hits(query)

    assert {one[:3]: one[3] for one in map(structs.astuple, counts.rows)} == plainly_counted(
        spoken, query
    )
    assert not counts.is_partial


def test_a_count_says_when_the_newest_line_was_written(spoken: AnyStore) -> None:
    rows = spoken.count_hits(TextQuery(terms="lantern", session="s2")).rows

    assert rows == (HitCount("-other", "s2", "prompt", 1, START + 61_000),)


def test_only_files_of_the_roots_count(spoken: AnyStore) -> None:
    source = spoken.source(1)
    assert source is not None

    assert len(spoken.count_hits(TextQuery(terms="another"), [source.root]).rows) == 1
    assert spoken.count_hits(TextQuery(terms="another"), ["/elsewhere"]).rows == ()


def test_lines_of_a_file_that_was_rewritten_no_longer_count(store: AnyStore) -> None:
    source = Source().line("an old lantern").line("lantern")
    store.commit([source.batch()])
    store.commit([source.restart().line("a new lantern").batch()])

    assert [one.count for one in store.count_hits(TextQuery(terms="lantern")).rows] == [1]
