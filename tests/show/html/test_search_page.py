"""The search page: hits by session, the words marked, each a link to its step."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.api import SearchAnswer, SearchResult
from unspool.show.html.search_page import SearchContext, SearchPage, SearchPageQuery, search_page


def hit(session: str = "s", snippet: str = "the word here", **more: Any) -> SearchResult:
    told = {"project_id": "p", "line": 1, "event_id": "1.0.9", "ranges": ((4, 8),), **more}
    return SearchResult(session_id=session, snippet=snippet, **told)


def page(*hits: SearchResult, q: str = "word", **more: Any) -> SearchPage:
    beside = SearchContext(now=NOW, zone=UTC)
    return search_page(SearchPageQuery(q=q), SearchAnswer(items=hits, **more), shell(), beside)


def hostile(text: str) -> SearchPage:
    names = ("project_id", "project_name", "title", "agent_id", "event_id")
    told = {**dict.fromkeys(names, text), "ranges": ((0, len(text)),)}
    hits = (hit(text, text, kind="user", **told), hit(text, text, kind="tool_result", **told))
    beside = SearchContext(now=NOW, zone=UTC, projects=((text, text),), jump=(text, text, text))
    asked = SearchPageQuery(q=text, project=text, session=text, kind=text)
    return search_page(asked, SearchAnswer(items=hits, next_cursor=text), shell(text), beside)


def test_hits_stand_under_their_session() -> None:
    made = page(hit("a"), hit("b"), hit("a"))

    assert [(group.session_id, len(group.hits)) for group in made.groups] == [("a", 2), ("b", 1)]
    assert made.summary == "3 results in 2 sessions"


def test_the_words_asked_for_are_marked() -> None:
    assert page(hit()).groups[0].hits[0].pieces == (
        (False, "the "),
        (True, "word"),
        (False, " here"),
    )


def test_ranges_that_make_no_sense_lose_no_text() -> None:
    odd = ((4, 8), (2, 6), (9, 9), (7, 3))
    pieces = page(hit(ranges=odd)).groups[0].hits[0].pieces

    assert "".join(text for _, text in pieces) == "the word here"


def test_a_hit_leads_to_its_step() -> None:
    assert "/s/p/s?at=1.0.9" in seen(page(hit())).hrefs
    assert "/s/p/s?agent=a1&at=1.0.9" in seen(page(hit(agent_id="a1"))).hrefs


def test_a_kind_of_line_can_be_chosen_and_keeps_the_words() -> None:
    assert "/search?q=word&kind=prompt" in seen(page(hit())).hrefs


def test_an_id_leads_to_its_session() -> None:
    beside = SearchContext(now=NOW, jump=("p", "0855c45d", "The title"))
    made = search_page(SearchPageQuery(q="0855c45d"), SearchAnswer(), shell(), beside)

    assert "/s/p/0855c45d" in seen(made).hrefs


def test_more_hits_are_one_link_away() -> None:
    assert "/search?q=word&cursor=next" in seen(page(hit(), next_cursor="next")).hrefs


def test_output_of_a_tool_keeps_its_lines() -> None:
    assert len(seen(page(hit(kind="tool_result"), hit(kind="user"))).all("pre")) == 1


def test_a_search_that_ran_out_of_time_says_so() -> None:
    assert "the search timed out" in page(hit(), is_partial=True).summary


def test_nothing_found_says_what_to_try() -> None:
    assert "No results" in seen(page()).text


def test_without_words_there_is_only_the_field() -> None:
    assert "No results" not in seen(page(q="")).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_that_was_found_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)
