"""Searches on PostgreSQL: as the reference finds them, by the index of words, in limited time."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.examples import examples
from tests.store.made import START, Source
from tests.store.postgres.cluster import SearchableStore
from unspool.model.query import SearchHit, TextQuery
from unspool.store.memory import MemoryStore
from unspool.store.postgres.partitions import WEEK
from unspool.store.postgres.search import hits
from unspool.store.postgres.search.conditions import conditions
from unspool.store.postgres.search.hits import _HITS

WORDS = ["ash", "ashes", "birch", "caf\u00e9", "cedar", "d1"]
TEXTS = st.lists(st.sampled_from([*WORDS, "ASH,", "a-b/c.py", "!"]), min_size=1, max_size=6)
KINDS = st.sampled_from(["prompt", "answer", "tool_result"])
TERMS = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(["as*", "c*", '"ash birch"', '"ash bi"*', "a-b", "b/c.py", "!!", '"', "b c"]),
)
QUERIES = st.builds(
    TextQuery,
    terms=st.lists(TERMS, max_size=2).map(" ".join),
    one_of=st.lists(st.lists(TERMS, max_size=2).map(tuple), max_size=1).map(tuple),
    projects=st.sampled_from([None, ("-p0",), ("-p1", "-p2"), ()]),
    session=st.sampled_from(["", "s", "s1"]),
    kinds=st.sampled_from([(), ("prompt",), ("answer", "tool_result")]),
    since=st.sampled_from([None, START + 3_000, START + WEEK]),
    until=st.sampled_from([None, START + 4_000, START + WEEK + 2_000]),
    limit=st.sampled_from([1, 3, 100]),
)


def places(found: list[SearchHit]) -> list[tuple[int, int]]:
    return [(hit.source_id, hit.offset) for hit in found]


def pages(store: MemoryStore | SearchableStore, query: TextQuery) -> Iterator[tuple[int, int]]:
    """All hits, page by page."""
    page = store.search(query)
    while page:
        yield from places(page)
        page = store.search(structs.replace(query, before=page[-1].line_id))


@pytest.fixture(params=["looked up", "looked for, few owners", "looked for, many owners"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whether common words are looked for in the newest texts of a week."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "looked up":
            patch.setattr(hits, "_LATEST", 2)
            patch.setattr(hits, "_FEW", 8 if "few" in request.param else 0)
        yield


@pytest.mark.usefixtures("way")
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.tuples(TEXTS, KINDS), max_size=5), min_size=1, max_size=3),
    st.lists(QUERIES, min_size=3, max_size=8),
)
def test_every_search_finds_what_the_reference_finds(
    files: list[list[tuple[list[str], Any]]], queries: list[TextQuery]
) -> None:
    memory, postgres = MemoryStore(), SearchableStore()
    for number, lines in enumerate(files):
        source = Source(number, f"s{number}", project=f"-p{number}", at=START + number * WEEK)
        for text, kind in lines:
            source.line(" ".join(text), kind)
        batch = source.batch()
        memory.commit([batch])
        postgres.commit([batch])
    try:
        for query in queries:
            assert places(postgres.search(query)) == places(memory.search(query))
            assert list(pages(postgres, query)) == list(pages(memory, query))
            assert sorted(map(structs.astuple, postgres.count_hits(query).rows)) == sorted(
                map(structs.astuple, memory.count_hits(query).rows)
            )
        for limit in (0, 1, 9):
            parts = ["a", "sh", "e", "zz"]
            assert postgres.words_with(parts, limit) == memory.words_with(parts, limit)
    finally:
        postgres.close()


def test_words_of_lines_that_are_gone_are_not_listed(postgres: SearchableStore) -> None:
    source = Source().line("kettle")
    postgres.commit([source.batch()])
    postgres.commit([source.restart().line("lamp").batch()])

    assert postgres.words_with(["e", "amp"], 9) == {"e": [], "amp": ["lamp"]}


@pytest.fixture
def long(postgres: SearchableStore) -> SearchableStore:
    """A text of several parts, and a short one."""
    filler = [f"word{n}" for n in range(30_000)]
    body = " ".join(["first", *filler[:9_998], "over", "the", "border", *filler, "last"])
    postgres.commit([Source().line(body, "tool_result").line("first and last").batch()])
    return postgres


def test_terms_may_be_in_different_parts_of_a_text(long: SearchableStore) -> None:
    def found(terms: str, **asked: Any) -> list[int]:
        return [hit.line_number for hit in long.search(TextQuery(terms=terms, **asked))]

    assert found("first last") == [2, 1]
    assert found("last word5 first") == [1]
    assert found("last", one_of=(("word5", "absent"),)) == [1]
    assert found('"over the border"') == found('"border word0" first') == [1]
    assert found('"first last"') == found("first absent") == []
    assert found("word*") == [1]
    (count,) = long.count_hits(TextQuery(terms="word7 last")).rows
    assert count.count == 1


def test_a_word_of_any_length_is_found_by_its_beginning(postgres: SearchableStore) -> None:
    postgres.commit([Source().line("x" * 100_000 + " y").line("x" * 200).batch()])

    assert [len(postgres.search(TextQuery(terms=f"{'x' * n}*"))) for n in (9, 200, 250)] == [
        2,
        2,
        1,
    ]
    assert [len(postgres.search(TextQuery(terms="x" * n))) for n in (9, 200, 250)] == [0, 1, 0]
    assert postgres.words_with(["xx"], 9) == {"xx": ["x" * 100 + "*"]}


def test_a_phrase_does_not_reach_from_one_text_of_a_line_into_the_next(
    postgres: SearchableStore,
) -> None:
    source = Source().line("boil the")
    source._rows["texts"].append(structs.replace(source._rows["texts"][0], body="kettle now"))
    postgres.commit([source.batch()])

    assert len(postgres.search(TextQuery(terms='"kettle now" boil'))) == 1
    assert postgres.search(TextQuery(terms='"the kettle"')) == []


def test_the_best_come_first_where_that_is_asked_for(postgres: SearchableStore) -> None:
    source = Source().line("lamp lamp lamp").line("a lamp far away from a second kettle")
    postgres.commit([source.line("kettle").batch()])
    ranked = TextQuery(terms="lamp", order="ranked", limit=1)
    (best,) = postgres.search(ranked)
    (second,) = postgres.search(structs.replace(ranked, before=best.line_id))

    assert (best.line_number, second.line_number) == (1, 2)
    assert best.rank > second.rank > 0
    assert postgres.search(structs.replace(ranked, before=second.line_id)) == []


def test_a_search_that_takes_too_long_says_so(postgres: SearchableStore) -> None:
    for week in range(3):
        source = Source(week, f"s{week}", at=START + week * WEEK)
        postgres.commit([source.line("lamp").batch()])
    query = TextQuery(terms="lamp")

    assert (len(postgres.search(query, 60)), postgres.search(query, 60).partial) == (3, False)
    with psycopg.connect(postgres.url) as busy:
        busy.execute("LOCK TABLE unspool.body")  # so it takes as long as it may
        assert postgres.search(query, seconds=0.1).partial
        assert postgres.count_hits(query, seconds=0.1).is_partial


_FILL = """
    INSERT INTO body
    SELECT 1, coalesce((SELECT max(source) FROM source), 1), n * 100, %(at)s + n, 0, 1, 1,
        coalesce((SELECT max(session) FROM source), 1), 'answer', ('''common'':1 ''word' || n %% 500
        || ''':2 ''rare' || n || ''':3 ''tenth' || n %% 10 || ''':4')::tsvector
    FROM generate_series(1, 20000) AS n
"""

_LINES = """
    INSERT INTO line (owner, source, "offset", at, line, length, number, kind, turn)
    SELECT b.owner, b.source, b."offset", b.at, l.line + b."offset", 9, 1, l.kind, 0
    FROM body AS b, line AS l WHERE b."offset" > 0
"""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A plan and all plans within it."""
    yield plan
    for one in plan.get("Plans", ()):
        yield from nodes(one)


def scans(store: SearchableStore, terms: str) -> list[dict[str, Any]]:
    """How 20,000 texts of a week are looked at for a search."""
    asked = conditions(TextQuery(terms=terms))
    assert asked is not None
    ask = _HITS.format(lines=asked.lines(), rank="0")
    with store.connected() as connection:
        connection.execute(_FILL.encode(), {"at": START})
        connection.execute("ANALYZE body")
    window = next(one for one in store.partitions.windows() if one.since <= START < one.until)
    values = {**asked.values, **window._asdict(), "limit": 20, "viewer": 1}
    ((plan,),) = store.every(f"EXPLAIN (FORMAT JSON) {ask}", **values)
    return [one for one in nodes(plan[0]["Plan"]) if one.get("Alias", "")[:1] == "b"]


@pytest.mark.parametrize(
    "terms", ["rare777", "word77", "tenth7", "rare77*", '"common word77"', "word77 rare77"]
)
def test_words_are_looked_up_in_their_index(postgres: SearchableStore, terms: str) -> None:
    """Walking through the index of times instead looks into every text, which took minutes."""
    found = scans(postgres, terms)

    assert found
    for scan in found:
        assert (scan["Relation Name"], scan["Node Type"]) == ("body_20251006", "Bitmap Heap Scan")
        assert [one["Index Name"] for one in scan["Plans"]] == ["body_20251006_words_idx"]


@pytest.mark.parametrize("few", [0, 8])
def test_a_common_word_is_looked_for_in_the_newest_texts(
    postgres: SearchableStore, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hits, "_FEW", few)
    postgres.commit([Source().line("common").batch()])
    with postgres.connected() as connection:
        connection.execute(_FILL.encode(), {"at": START})
        connection.execute(_LINES.encode())
        connection.execute("ANALYZE body, line")
    before = texts_read(postgres)
    found = postgres.search(TextQuery(terms="common", limit=20))

    assert [hit.offset for hit in found] == [n * 100 for n in range(20_000, 19_980, -1)]
    assert texts_read(postgres) - before < 12_000


def texts_read(store: SearchableStore) -> int:
    """How many texts PostgreSQL has read so far."""
    with store.connected() as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        ((read,),) = connection.execute("""
            SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables
            WHERE relname LIKE 'body%%'
        """).fetchall()
    return int(read)


def test_the_newest_lines_without_a_word_are_read_in_order(postgres: SearchableStore) -> None:
    (scan,) = scans(postgres, "")

    assert scan["Node Type"] == "Index Scan"
    assert scan["Index Name"] == "body_20251006_owner_at_source_id_offset_idx"
