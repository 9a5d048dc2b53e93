"""The plain search of the memory store and the fast one of the index find the same lines."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.store.made import START, Source
from unspool.model.query import SearchHit, SearchOrder, TextQuery
from unspool.model.rows import TextKind
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.search import hits, postings
from unspool.store.sqlite.store import SqliteStore

KINDS: tuple[TextKind, ...] = ("prompt", "answer", "tool_input", "tool_result")
WORDS = st.sampled_from(["ab", "Ab", "abc", "b", "k", "\u212a", "caf\u00e9", "cafe", "n", "1"])
GAPS = st.sampled_from([" ", "\n", ", ", '"', "\\", "\x1b[", " \u2713 ", "/"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), min_size=1, max_size=6).map(
    lambda parts: "".join(map("".join, parts))
)
FILES = st.lists(
    st.tuples(st.integers(0, 9), st.lists(st.tuples(TEXTS, st.sampled_from(KINDS)), max_size=8)),
    min_size=1,
    max_size=3,
)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"')
TERMS = st.lists(st.tuples(PHRASES, st.sampled_from(["", "*"])), min_size=1, max_size=2).map(
    lambda terms: " ".join(map("".join, terms))
)
CHOSEN = st.lists(st.sampled_from(KINDS), max_size=2, unique=True).map(tuple)

Files = list[tuple[int, list[tuple[str, TextKind]]]]


def sources(files: Files) -> list[Source]:
    made = []
    for number, (seconds, lines) in enumerate(files, 1):
        source = Source(number, f"s{number}", at=START + seconds * 1000)
        for text, kind in lines:
            source.line(text, kind)
        made.append(source)
    return made


def searched(
    files: Files, queries: list[TextQuery]
) -> list[tuple[list[SearchHit], list[SearchHit]]]:
    """What each store finds; the index reads bodies and raw lines as it does of real files."""
    places = {
        (number, index * 100): text
        for number, (_, lines) in enumerate(files, 1)
        for index, (text, _) in enumerate(lines)
    }

    def body(source: int, _generation: int, offset: int, _length: int) -> str:
        return places[source, offset]

    def line(source: int, generation: int, offset: int, length: int) -> bytes:
        content = [{"type": "tool_result", "content": body(source, generation, offset, length)}]
        return json.dumps({"message": {"content": content}}, ensure_ascii=False).encode()

    with TemporaryDirectory() as home:
        plain, fast = MemoryStore(), SqliteStore(Path(home), bodies=body, lines=line)
        for store in (plain, fast):
            for source in sources(files):
                store.commit([source.batch()])
        try:
            # However busy the machine is, all hits are wanted here.
            return [(plain.search(query), fast._search.search(query, 600)) for query in queries]
        finally:
            fast.close()


def places(found: list[SearchHit]) -> list[tuple[int, int]]:
    return [(hit.source_id, hit.offset) for hit in found]


@pytest.fixture(autouse=True, scope="module")
def _small_limits() -> Iterator[None]:
    """Few lines count as many, so that every way of reading them is taken."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_FIRST_READ", 3)
        patch.setattr(postings, "_SEEK_LINES", 1)
        patch.setattr(hits, "_RANKED", 1_000)
        yield


@settings(max_examples=examples(100))
@given(FILES, st.lists(st.tuples(TERMS, CHOSEN), min_size=1, max_size=4), st.integers(1, 20))
def test_phrases_are_found_newest_first_whatever_kind_they_are_in(
    files: Files, asked: list[tuple[str, tuple[TextKind, ...]]], limit: int
) -> None:
    queries = [TextQuery(terms=terms, kinds=kinds, limit=limit) for terms, kinds in asked]

    for plain, fast in searched(files, queries):
        assert places(fast) == places(plain)


@settings(max_examples=examples(100))
@given(FILES, st.lists(st.tuples(TERMS, CHOSEN), min_size=1, max_size=4))
def test_ranked_phrases_are_the_same_lines_best_first(
    files: Files, asked: list[tuple[str, tuple[TextKind, ...]]]
) -> None:
    order: SearchOrder = "ranked"
    queries = [TextQuery(terms=terms, kinds=kinds, order=order) for terms, kinds in asked]

    for plain, fast in searched(files, queries):
        assert sorted(places(fast)) == sorted(places(plain))
        assert all(one.rank >= other.rank for one, other in pairwise(fast))
