"""The context chart: fixed hues, one column a response, cut where it was compacted."""

from itertools import pairwise
from typing import Any

from msgspec.structs import astuple

from unspool.model.document import Categories, Compaction, Context, ContextTurn, Phase
from unspool.model.steps import ContextPoint
from unspool.show.charts.context import CATEGORIES, ContextChart, context, turn_points


def point(turn: int, untracked: int = 0, phase: int = 1, **held: int) -> ContextPoint:
    sizes = astuple(Categories(**held))
    return ContextPoint(turn, turn, phase, sizes, sum(sizes) + untracked)


POINTS = (
    point(1, tool_outputs=50),
    point(2, tool_outputs=90),
    point(3, tool_outputs=10, phase=2),
)
ENDED = {1: Compaction("auto", 90, 10)}


def drawn(*points: ContextPoint, **more: Any) -> ContextChart:
    return context(points or POINTS, ENDED, **more)


def test_every_category_of_the_model_has_a_hue() -> None:
    assert {field for _, field, _ in CATEGORIES} == set(Categories.__struct_fields__)


def test_a_category_that_held_nothing_is_not_drawn() -> None:
    assert [name for name, _ in drawn().areas] == ["tools"]


def test_each_phase_is_an_area_of_its_own() -> None:
    ((_, path),) = drawn().areas

    assert path.count("M") == path.count("z") == 2


def test_one_response_is_as_wide_as_the_chart() -> None:
    ((_, path),) = drawn(point(1, skills=5)).areas

    assert "H1000.0" in path


def test_a_compaction_says_what_it_freed() -> None:
    assert drawn().cuts == ((66.7, "90 → 10"),)


def test_of_many_compactions_only_those_have_words_that_have_room() -> None:
    points = [point(n, tool_outputs=50, phase=n) for n in range(1, 101)]
    cuts = context(points, dict.fromkeys(range(1, 101), Compaction("auto", 90, 10)), size="l").cuts
    places = [x for x, text in cuts if text]

    assert len(cuts) == 99
    assert 5 < len(places) <= 10
    assert all(b - a >= 10 for a, b in pairwise(places))


def test_the_limit_is_a_line_when_it_is_known() -> None:
    assert drawn(limit=200).limit_y == 0.0
    assert drawn().limit_y is None


def test_more_than_the_limit_is_still_inside_the_chart() -> None:
    made = drawn(point(1, skills=400), point(2, skills=400), limit=200)

    assert made.limit_y == made.floor / 2


def test_what_the_first_request_had_is_the_system_s_and_the_rest_is_untracked() -> None:
    made = drawn(point(1, untracked=75, skills=1), point(2, untracked=100, skills=26))

    assert [(row.text, row.percent) for row in made.legend] == [
        ("System and tools", 60),
        ("Skills", 21),
        ("Untracked", 20),
    ]
    assert made.legend[0].why.startswith("What no line accounts for")


def test_what_the_model_wrote_and_nobody_stored_is_not_untracked() -> None:
    last = point(2, untracked=100, thinking_text=30)._replace(hidden=40)

    assert [(row.text, row.tokens) for row in drawn(point(1, untracked=20), last).legend] == [
        ("Untracked", "40"),
        ("Hidden thinking", "40"),
        ("Thinking", "30"),
        ("System and tools", "20"),
    ]


def test_a_later_request_that_read_less_has_no_more_of_the_system_than_that() -> None:
    made = drawn(point(1, untracked=75), point(2, untracked=40, skills=10))

    assert [(row.text, row.tokens) for row in made.legend] == [
        ("System and tools", "40"),
        ("Skills", "10"),
    ]


def test_of_very_many_responses_some_are_drawn_and_the_ends_of_phases_always() -> None:
    points = [point(n, skills=n, phase=1 if n < 5_001 else 2) for n in range(1, 10_001)]
    made = drawn(*points)

    assert len(made.columns) < 130
    assert {row[0] for row in made.rows} >= {"1", "5000", "5001", "10000"}


def test_a_column_leads_to_its_step_and_tells_its_figures() -> None:
    made = drawn(places=("step-a", "step-b", "step-c"))

    assert [one.place for one in made.columns] == ["step-a", "step-b", "step-c"]
    assert made.columns[1].title == "Turn 2: 90 tokens. Tool output 90."


def test_columns_fill_the_chart_side_by_side() -> None:
    columns = drawn().columns

    assert [(one.x, one.width) for one in columns] == [(0, 33.33), (33.33, 33.33), (66.67, 33.33)]


def test_the_table_has_a_row_a_column() -> None:
    made = drawn()

    assert [row[:2] for row in made.rows] == [("1", "50"), ("2", "90"), ("3", "10")]
    assert len(made.head) == len(made.rows[0]) == 12


def test_a_document_has_a_point_a_turn() -> None:
    turns = tuple(
        ContextTurn(turn=n, chunk_id=f"c{n}", total=Categories(skills=n), untracked=5)
        for n in (1, 2, 3)
    )
    phases = (
        Phase(number=1, first_chunk="c1", last_chunk="c2"),
        Phase(number=2, first_chunk="c3", last_chunk="c3"),
    )

    made = turn_points(Context(turns, phases))

    assert [(one.turn, one.phase, one.measured) for one in made] == [
        (1, 1, 6),
        (2, 1, 7),
        (3, 2, 8),
    ]


def test_no_responses_are_an_empty_chart() -> None:
    made = context((), {}, 200_000)

    assert (made.areas, made.legend, made.rows) == ((), (), ())


def test_what_is_looked_at_is_marked_with_what_it_added() -> None:
    points = [point(turn, tool_outputs=turn * 1_000) for turn in range(1, 11)]
    chart = context(points, {}, within=range(4, 8))

    assert chart.band == (40.0, 40.0, "4.0k → 8.0k in these steps, +4.0k")
    assert [share.tokens for share in chart.legend if share.name == "tools"] == ["8.0k"]


def test_what_is_looked_at_may_be_between_two_columns() -> None:
    points = [point(turn, tool_outputs=turn) for turn in range(1, 1_001)]
    chart = context(points, {}, within=[501])

    assert chart.band is not None
    at = chart.band.x + chart.band.width / 2
    assert abs(at - 50) < 1
    assert 0 < chart.band.width < 1


def test_a_compaction_inside_takes_away() -> None:
    chart = drawn(within=[2])

    assert chart.band is not None
    assert chart.band.text == "90 → 10 in these steps, −80"


def test_without_a_range_nothing_is_marked() -> None:
    assert drawn().band is None
