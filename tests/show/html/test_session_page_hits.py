from tests.show.made import at, chunk, document
from unspool.model.api import SearchAnswer, SearchResult
from unspool.show.html.session_page import hit_ticks, session_hits, time_share


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


def test_a_moment_is_a_part_of_the_session() -> None:
    made = document(chunk("user", start_time=at(0), end_time=at(0)), chunk(end_time=at(10)))

    assert time_share(made, at(5)) == 0.5
    assert time_share(made, at(59)) == 1.0


def test_a_moment_that_is_not_told_is_nowhere() -> None:
    assert time_share(document(chunk()), None) is None
    assert time_share(document(), at(1)) is None


def test_every_hit_with_a_time_has_a_tick() -> None:
    made = document(chunk("user", start_time=at(0), end_time=at(10)))

    assert hit_ticks(made, [line(1, 0), line(2, 10)]) == (0.0, 1.0)
