"""Waterfalls: every step at its place, none too thin to see."""

from datetime import UTC

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


def test_a_pause_is_folded_also_inside_an_answer() -> None:
    steps = (
        WaterfallStep("answer", 0, 10_000_000, "chunk"),
        WaterfallStep("a", 0, 60_000),
        WaterfallStep("b", 9_940_000, 10_000_000),
    )
    _, first, last = waterfall(steps, zone=UTC).bars

    assert (first.width, last.x) == (49.0, 51.0)
    assert [one.text for one in waterfall(steps, zone=UTC).ticks if one.is_fold] == ["⋯ 2 h 45 min"]


def test_a_bar_says_from_when_to_when() -> None:
    assert waterfall(STEPS, zone=UTC).bars[0].when == "00:00:01 – 00:00:03, 2.0 s"
