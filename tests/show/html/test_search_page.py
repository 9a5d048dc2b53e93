"""The search page: hits by session, the words marked, each a link to its step."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.engine.search.snippets import patterns, snippet
from unspool.model.api import SearchResult
from unspool.model.insights import ActivityStrip, TimeSpan
from unspool.model.search import MatchedSessions, SessionMatches
from unspool.show.html.search_page import (
    SearchContext,
    SearchPage,
    SearchPageQuery,
    matched_line,
    result_row,
    search_page,
)


def hit(session: str = "s", snippet: str = "the word here", **more: Any) -> SearchResult:
    told = {"project_id": "p", "line": 1, "event_id": "1.0.9", "ranges": ((4, 8),), **more}
    return SearchResult(session_id=session, snippet=snippet, **told)


def group(*hits: SearchResult, others: Sequence[SearchResult] = (), **more: Any) -> SessionMatches:
    told = {"kinds": {"prompt": len(hits) + len(others)}, "best": hits, **more}
    first = hits[0]
    return SessionMatches(
        project_id=first.project_id, session_id=first.session_id, others=tuple(others), **told
    )


def page(*groups: SessionMatches, q: str = "word", cursor: str = "", **more: Any) -> SearchPage:
    counts = [count for one in groups for count in one.kinds.values()]
    found = MatchedSessions(
        **{"hits": sum(counts), "sessions": len(groups), "groups": groups, **more}
    )
    beside = SearchContext(now=NOW, zone=UTC)
    return search_page(SearchPageQuery(q=q), found, shell(), beside, cursor)


def hostile(text: str) -> SearchPage:
    names = ("project_id", "project_name", "title", "agent_id", "event_id")
    told = {**dict.fromkeys(names, text), "ranges": ((0, len(text)),)}
    hits = (hit(text, text, kind="user", **told), hit(text, text, kind="tool_result", **told))
    beside = SearchContext(now=NOW, zone=UTC, projects=((text, text),), jump=(text, text, text))
    asked = SearchPageQuery(q=text, project=text, session=text, kind=text)
    found = MatchedSessions(hits=2, sessions=1, groups=(group(hits[0], others=hits[1:]),))
    return search_page(asked, found, shell(text), beside, text)


def test_the_page_says_how_many_hits_are_in_how_many_sessions() -> None:
    made = page(group(hit("a"), hit("a")), group(hit("b")), hits=2_300, sessions=1)

    assert (made.hits, made.where) == ("2,300 hits", "in 1 session")


def test_where_counting_stopped_there_are_at_least_so_many() -> None:
    made = page(group(hit()), is_partial=True, kinds={"prompt": 1})

    assert made.hits == "At least 1 hit"
    assert [one.count for one in made.kinds] == ["1+", "1+"]


def test_what_is_not_among_the_best_is_folded_away_with_its_number() -> None:
    told = group(hit(), hit(), hit(), others=(hit(), hit()), kinds={"prompt": 2, "answer": 55})
    made = seen(page(told))

    assert "54 more in this session" in made.text
    assert len(made.all("details")) == 1
    assert "/search?q=word&session=s" in made.hrefs


def test_kinds_are_filters_with_counts_that_ignore_the_chosen_one() -> None:
    found = MatchedSessions(kinds={"prompt": 3, "tool_result": 20}, hits=3, sessions=1)
    query = SearchPageQuery(q="word", kind="thinking")
    made = search_page(query, found, shell(), SearchContext(now=NOW))

    assert [(one.name, one.count) for one in made.kinds] == [
        ("All", "23"),
        ("Prompts", "3"),
        ("Thinking", "0"),
        ("Output", "20"),
    ]
    assert "/search?q=word&kind=prompt" in seen(made).hrefs


def test_a_hit_has_a_tick_on_the_timeline_where_it_was_written() -> None:
    strip = ActivityStrip(turns=(TimeSpan(1_000, 2_000), TimeSpan(4_000, 5_000)))
    told = group(hit(event_id="1.0.9"), times=((2_000, "1.0.9"), (5_000, "1.0.8")))
    beside = SearchContext(now=NOW, strips={("p", "s"): strip})
    found = MatchedSessions(hits=2, sessions=1, groups=(told,))
    (made,) = search_page(SearchPageQuery(q="word"), found, shell(), beside).groups

    assert made.ticks == ((25.0, "1.0.9"), (100.0, "1.0.8"))


def test_the_words_asked_for_are_marked() -> None:
    assert page(group(hit())).groups[0].hits[0].pieces == (
        (False, "the "),
        (True, "word"),
        (False, " here"),
    )


def test_ranges_that_make_no_sense_lose_no_text() -> None:
    odd = ((4, 8), (2, 6), (9, 9), (7, 3), (-2, 4), (9, 99))
    pieces = page(group(hit(ranges=odd))).groups[0].hits[0].pieces

    assert "".join(text for _, text in pieces) == "the word here"


def test_a_line_is_cut_before_a_word_and_never_after_the_match() -> None:
    text = "first line\n" + "a rather long way to go until at last the word is here\nlast"
    at = text.index("word")

    line, ranges = matched_line(text, [(at, at + 4)])

    assert line == "…way to go until at last the word is here"
    assert [line[start:end] for start, end in ranges] == ["word"]


@given(st.text("ab \n…", max_size=300), st.text("ab", min_size=1, max_size=3))
def test_every_line_with_a_match_has_a_mark_near_its_beginning(before: str, word: str) -> None:
    found = snippet(f"{before} {word} after", patterns(word))
    row = result_row(hit(snippet=found.text, ranges=found.ranges), UTC)
    lead, marked = row.pieces[0][1], [text for is_hit, text in row.pieces if is_hit]

    assert marked
    assert set(marked) == {word}
    assert len(lead) <= 33


def test_a_hit_leads_to_its_step_with_the_words_to_mark_there() -> None:
    assert "/s/p/s?at=1.0.9&q=word" in seen(page(group(hit()))).hrefs
    assert "/s/p/s?agent=a1&at=1.0.9&q=word" in seen(page(group(hit(agent_id="a1")))).hrefs


def test_an_id_leads_to_its_session() -> None:
    beside = SearchContext(now=NOW, jump=("p", "0855c45d", "The title"))
    made = search_page(SearchPageQuery(q="0855c45d"), MatchedSessions(), shell(), beside)

    assert "/s/p/0855c45d" in seen(made).hrefs


def test_more_sessions_are_one_link_away() -> None:
    assert "/search?q=word&cursor=next" in seen(page(group(hit()), cursor="next")).hrefs


def test_nothing_found_says_what_to_try() -> None:
    assert "No matches" in seen(page()).text


def test_without_words_there_is_only_the_field() -> None:
    assert "No matches" not in seen(page(q="")).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_that_was_found_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)
