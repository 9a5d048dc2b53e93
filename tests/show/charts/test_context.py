"""The context chart: seven categories in fixed hues, cut where it was compacted."""

from itertools import pairwise

from unspool.model.document import Categories, Compaction, Context, ContextTurn, Phase
from unspool.show.charts.context import CATEGORIES, context


def turn(number: int, **held: int) -> ContextTurn:
    rest = held.pop("untracked", 0)
    name = f"c{number}"
    return ContextTurn(turn=number, chunk_id=name, total=Categories(**held), untracked=rest)


COMPACTED = Context(
    (turn(1, tool_outputs=50), turn(2, tool_outputs=90), turn(3, tool_outputs=10)),
    (
        Phase(number=1, first_chunk="c1", last_chunk="c2", compaction=Compaction("auto", 90, 10)),
        Phase(number=2, first_chunk="c3", last_chunk="c3"),
    ),
)


def test_every_category_of_the_model_has_a_hue() -> None:
    assert {field for _, field, _ in CATEGORIES} == set(Categories.__struct_fields__)


def test_a_category_that_held_nothing_is_not_drawn() -> None:
    assert [name for name, _ in context(COMPACTED).areas] == ["tools"]


def test_each_phase_is_an_area_of_its_own() -> None:
    ((_, path),) = context(COMPACTED).areas

    assert path.count("M") == path.count("z") == 2


def test_a_compaction_says_what_it_freed() -> None:
    assert context(COMPACTED).cuts == ((75.0, "90 → 10"),)


def test_of_many_compactions_only_those_have_words_that_have_room() -> None:
    phases = tuple(
        Phase(number=n, first_chunk=f"c{n}", last_chunk="", compaction=Compaction("auto", 90, 10))
        for n in range(1, 101)
    )
    turns = tuple(turn(n, tool_outputs=50) for n in range(1, 101))
    cuts = context(Context(turns, phases), size="l").cuts
    places = [x for x, text in cuts if text]

    assert len(cuts) == 99
    assert 5 < len(places) <= 10
    assert all(b - a >= 10 for a, b in pairwise(places))


def test_the_limit_is_a_line_when_it_is_known() -> None:
    assert context(COMPACTED, 200).limit_y == 0.0
    assert context(COMPACTED).limit_y is None


def test_more_than_the_limit_is_still_inside_the_chart() -> None:
    made = context(Context((turn(1, skills=400), turn(2, skills=400))), 200)

    assert made.limit_y == made.floor / 2


def test_the_legend_is_of_the_last_turn_largest_first() -> None:
    made = context(Context((turn(1, skills=1), turn(2, skills=25, untracked=75))))

    assert [(row.text, row.percent) for row in made.legend] == [("Untracked", 75), ("Skills", 25)]


def test_the_table_has_a_row_a_turn() -> None:
    made = context(COMPACTED)

    assert [row[0] for row in made.rows] == ["1", "2", "3"]
    assert len(made.head) == len(made.rows[0]) == 9


def test_no_turns_are_an_empty_chart() -> None:
    made = context(Context(), 200_000)

    assert (made.areas, made.legend, made.rows) == ((), (), ())
