"""Searches: words, phrases, prefixes and filters; what a user types is never syntax."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.store.made import START, Source
from tests.store.stores import KINDS, AnyStore
from unspool.model.query import SearchOrder, TextQuery


def found(store: AnyStore, terms: str = "", **asked: object) -> list[int]:
    hits = store.search(TextQuery(terms=terms, **asked))  # type: ignore[arg-type]
    return [hit.line_number for hit in hits]


@pytest.fixture
def spoken(store: AnyStore) -> AnyStore:
    """Six lines: what was asked, thought, called, put out and answered."""
    source = Source().line("Fix the lantern, please").line("lanterns are hard", "thinking")
    source.line("grep lantern src/main.py", "tool_input").line("the lantern burns", "tool_result")
    source.line("The LANTERN is fixed", "answer").line("caf\u00e9 au lait", "answer")
    store.commit([source.tells(title="Lights").batch()])
    return store


def test_a_word_is_found_wherever_it_stands_the_newest_first(spoken: AnyStore) -> None:
    assert found(spoken, "lantern") == [5, 4, 3, 1]


def test_case_and_accents_do_not_matter(spoken: AnyStore) -> None:
    assert (found(spoken, "CAFE"), found(spoken, "Caf\u00e9")) == ([6], [6])


def test_a_prefix_finds_longer_words(spoken: AnyStore) -> None:
    assert found(spoken, "lantern*") == [5, 4, 3, 2, 1]


def test_all_words_must_be_there(spoken: AnyStore) -> None:
    assert (found(spoken, "lantern fixed"), found(spoken, "lantern lait")) == ([5], [])


def test_a_phrase_is_words_side_by_side(spoken: AnyStore) -> None:
    assert found(spoken, '"lantern is"') == [5]
    assert found(spoken, '"fix lantern"') == []
    assert found(spoken, '"the lan"*') == [5, 4, 1]


def test_a_path_is_a_phrase(spoken: AnyStore) -> None:
    assert (found(spoken, "src/main.py"), found(spoken, "main/src.py")) == ([3], [])


def test_operators_are_words(spoken: AnyStore) -> None:
    assert found(spoken, "lantern OR lait") == []
    assert found(spoken, "NOT") == []
    assert found(spoken, "body : lantern") == []


def test_signs_alone_find_nothing(spoken: AnyStore) -> None:
    assert (found(spoken, "!!!"), found(spoken, '"'), found(spoken, "*")) == ([], [], [])


def test_no_terms_give_every_line_with_a_text(spoken: AnyStore) -> None:
    assert (found(spoken), found(spoken, "  ")) == ([6, 5, 4, 3, 2, 1],) * 2


def test_of_alternatives_a_line_has_one(spoken: AnyStore) -> None:
    assert found(spoken, one_of=(("lait", "burns"),)) == [6, 4]
    assert found(spoken, one_of=(("lantern",), ("fix*", "src"))) == [5, 3, 1]
    assert found(spoken, "the", one_of=(("burns", "hard"),)) == [4]


def test_of_no_alternatives_no_line_has_one(spoken: AnyStore) -> None:
    assert found(spoken, one_of=((),)) == []
    assert found(spoken, "lantern", one_of=(("lantern",), ("absent",))) == []


def test_words_are_listed_by_a_part_of_them(spoken: AnyStore) -> None:
    assert spoken.words_with(["ant", "af", "zz"], 9) == {
        "ant": ["lantern", "lanterns"],
        "af": ["cafe"],
        "zz": [],
    }
    assert spoken.words_with(["ant", "af"], 1) == {"ant": None, "af": ["cafe"]}


def test_kinds_choose(spoken: AnyStore) -> None:
    assert found(spoken, "lantern", kinds=("answer", "prompt")) == [5, 1]
    assert found(spoken, "lantern", kinds=("tool_result",)) == [4]
    assert found(spoken, "lantern", kinds=("summary",)) == []


def test_times_choose(spoken: AnyStore) -> None:
    assert found(spoken, "lantern", since=START + 3000) == [5, 4, 3]
    assert found(spoken, "lantern", until=START + 3000) == [3, 1]
    assert found(spoken, since=START + 2000, until=START + 3000) == [3, 2]


def test_sessions_and_projects_choose(spoken: AnyStore) -> None:
    other = Source(2, "s2", project="-other", at=START + 60_000).line("another lantern")
    spoken.commit([other.batch()])

    assert len(found(spoken, "lantern")) == 5
    assert found(spoken, "lantern", session="s1") == [5, 4, 3, 1]
    assert found(spoken, "lantern", projects=("-other",)) == [1]
    assert found(spoken, "lantern", projects=()) == found(spoken, session="s9") == []


def test_a_hit_says_where_it_stands(spoken: AnyStore) -> None:
    hit = spoken.search(TextQuery(terms="lait"))[0]

    assert (hit.source_id, hit.generation, hit.offset, hit.length) == (1, 0, 500, 99)
    assert (hit.project_id, hit.session_id, hit.title, hit.type) == (
        "-repo",
        "s1",
        "Lights",
        "user",
    )
    assert (hit.text_kind, hit.timestamp, hit.agent_id) == ("answer", START + 6000, "")


def test_pages_are_disjoint_and_complete(spoken: AnyStore) -> None:
    seen: list[int] = []
    before = None
    while page := spoken.search(TextQuery(terms="lantern*", before=before, limit=2)):
        seen += [hit.line_number for hit in page]
        before = page[-1].line_id

    assert seen == [5, 4, 3, 2, 1]


def test_lines_of_several_files_come_in_the_order_of_their_times(store: AnyStore) -> None:
    late, early = Source(1, "s1", at=START + 500), Source(2, "s2", at=START)
    store.commit([late.line("x").line("x").batch()])
    store.commit([early.line("x").line("x").batch()])

    assert [hit.source_id for hit in store.search(TextQuery(terms="x"))] == [1, 2, 1, 2]


def test_a_limit_of_nothing_gives_nothing(spoken: AnyStore) -> None:
    assert found(spoken, "lantern", limit=0) == []


@pytest.fixture(scope="module", params=sorted(KINDS))
def two_lines(request: pytest.FixtureRequest) -> Iterator[AnyStore]:
    """A store that hostile words are tried on."""
    with TemporaryDirectory() as place:
        made = KINDS[request.param](Path(place))
        made.commit([Source().line("word").line("word", "tool_result").batch()])
        yield made
        made.close()


@given(st.text())
@example('"')
@example('word" OR "x')
@example("word\0")
@example("\ud800")
@example("NEAR(word word)")
@example("{body}: word")
@example("-word ^word +word")
@example("( " * 200)
def test_no_text_breaks_a_search(two_lines: AnyStore, typed: str) -> None:
    orders: tuple[SearchOrder, ...] = ("newest", "ranked")
    for order in orders:
        query = TextQuery(terms=typed, session=typed[:3], projects=(typed[3:6],), order=order)

        assert len(two_lines.search(query)) <= 2


@settings(max_examples=examples(40))
@given(st.text(st.characters(categories=["L", "N", "P", "Z"], max_codepoint=0x24F), min_size=1))
def test_what_was_written_is_found_by_it(typed: str) -> None:
    asked = typed[:200].replace('"', " ").replace("*", " ")
    assume(asked.strip())
    with TemporaryDirectory() as place:
        for make in KINDS.values():
            store = make(Path(place))
            store.commit([Source().line(typed).batch()])
            hits = store.search(TextQuery(terms=asked))
            store.close()

            assert len(hits) == any(map(str.isalnum, asked))
