from tests.show.made import at, chunk, document
from unspool.model.api import SearchAnswer, SearchResult
from unspool.show.charts.spool_data import session_axis
from unspool.show.html.session_page import hit_ticks, session_hits


def line(number: int, minute: int) -> SearchResult:
    return SearchResult(
        session_id="s", project_id="p", line=number, event_id=f"1.0.{number}", timestamp=at(minute)
    )


def test_hits_stand_in_the_order_of_the_session() -> None:
    made = session_hits("x", SearchAnswer(items=(line(9, 8), line(2, 3))))

    assert [hit.event_id for hit in made.hits] == ["1.0.2", "1.0.9"]
    assert made.summary == "2 results for 'x'"


def test_that_there_is_more_is_said() -> None:
    made = session_hits("x", SearchAnswer(items=(line(9, 8),), next_cursor="c", is_partial=True))

    assert made.summary.startswith("1 result for 'x', newest only; the search timed out")


def test_every_hit_with_a_time_has_a_tick_on_the_axis_of_the_session() -> None:
    axis = session_axis(document(chunk("user", start_time=at(0), end_time=at(10))), ())

    assert hit_ticks(axis, [line(1, 0), line(2, 10)]) == (0.0, 1.0)


def test_without_an_axis_no_hit_has_a_tick() -> None:
    assert hit_ticks(None, [line(1, 0)]) == ()
