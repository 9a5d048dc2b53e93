"""Waterfalls: every step at its place, none too thin to see."""

from unspool.show.charts.waterfall import WaterfallStep, waterfall

STEPS = (
    WaterfallStep("a", 1_000, 3_000),
    WaterfallStep("b", 3_000, 3_000, "err", 9),
    WaterfallStep("c", 4_000, 5_000),
)


def test_a_step_stands_where_it_began_and_is_as_wide_as_it_took() -> None:
    first, _, last = waterfall(STEPS).bars

    assert (first.x, first.width) == (0.0, 50.0)
    assert (last.x, last.width) == (75.0, 25.0)


def test_a_moment_can_be_seen() -> None:
    assert waterfall(STEPS).bars[1].width == 0.6


def test_depth_has_an_end() -> None:
    assert waterfall(STEPS).bars[1].depth == 4


def test_the_table_tells_when_and_how_long() -> None:
    assert waterfall(STEPS).rows[2] == ("c", "3.0 s", "1.0 s")


def test_no_steps_are_no_bars() -> None:
    assert waterfall(()).bars == ()
