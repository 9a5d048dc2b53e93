from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unspool.model.api import SearchResult
from unspool.show.spans import cells, plain
from unspool.show.text.layout import Frame
from unspool.show.text.search_results import search_lines

NOW = 1_767_225_600_000


def found(**changes: Any) -> SearchResult:
    given = {
        "session_id": "0141fab3-aaaa",
        "project_id": "-repo",
        "project_name": "repo",
        "title": "Fix it",
        "line": 7,
        "event_id": "1.0.0",
        "kind": "tool_result",
        "turn": 3,
        "snippet": "a needle here",
        "ranges": ((2, 8),),
    }
    return SearchResult(**{**given, **changes})


def lines(*items: SearchResult, width: int | None = 80) -> list[str]:
    return [plain(line) for line in search_lines(items, Frame(width, NOW))]


def test_a_hit_says_where_it_stands_and_what_was_found() -> None:
    told = lines(found(timestamp="2025-12-31T23:58:00.000Z"))

    assert told[0].startswith("Fix it ")
    assert told[0].endswith("repo  0141fab3")
    assert told[1:] == ["  tool result · turn 3 · line 7 · 2 min ago", "    a needle here"]


def test_hits_of_one_session_stand_below_one_title() -> None:
    told = lines(found(), found(session_id="other"), found(line=9), width=None)

    assert [line for line in told if line.startswith("Fix")] == [
        "Fix it  repo  0141fab3-aaaa",
        "Fix it  repo  other",
    ]
    assert told.index("  tool result · turn 3 · line 9") < told.index("")


def test_the_words_found_are_marked() -> None:
    (*_, last) = search_lines([found()], Frame(80, NOW))

    assert last == (("", "    "), ("", "a "), ("strong", "needle"), ("", " here"))


def test_an_agent_is_named() -> None:
    assert "agent a1b2" in lines(found(agent_id="a1b2"))[1]


def test_lines_of_a_snippet_stay_lines() -> None:
    told = lines(found(snippet="one\ntwo needle\nthree", ranges=((8, 14),)))

    assert told[2:] == ["    one", "    two needle", "    three"]


def test_a_word_far_on_in_a_long_line_is_in_sight() -> None:
    told = lines(found(snippet="x " * 90 + "needle", ranges=((180, 186),)), width=40)

    assert told[2].strip().startswith("…")
    assert told[2].endswith("needle")


def test_controls_of_a_terminal_do_nothing() -> None:
    told = lines(found(title="\x1b[2Jbad", snippet="\x1b]0;t\x07a\rb", ranges=((0, 1),)))

    assert not any("\x1b" in line or "\r" in line for line in told)


def test_a_session_without_a_title_has_a_name() -> None:
    assert lines(found(title=""))[0].startswith("Untitled")


@given(
    st.text(max_size=200),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), max_size=4),
    st.sampled_from([20, 40, 80, 120]),
)
def test_no_line_is_wider_than_the_paper(
    text: str, places: list[tuple[int, int]], width: int
) -> None:
    ranges = tuple(sorted((min(a, b), max(a, b)) for a, b in places))
    told = lines(found(snippet=text, ranges=ranges, title=text, agent_id=text), width=width)

    assert max(map(cells, told)) <= width
