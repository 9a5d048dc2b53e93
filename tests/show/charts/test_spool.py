"""Spools: few nodes, failures never lost, nothing outside the strip."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.model.insights import ActivityStrip, TimeSpan
from unspool.show.charts.spool import Live, Size, SpoolCache, apart, joined, spool
from unspool.show.charts.spool_data import CallMark, Interval, SpoolData, strip_data

TURNS = SpoolData(turns=(Interval(0.0, 0.4), Interval(0.5, 1.0)))
PARTS = st.floats(0, 1)


def paths(tape: SpoolData, size: Size = "row", live: Live = "") -> dict[str, str]:
    return dict(spool(tape, size, live).paths)


def test_every_turn_is_drawn_and_begins_with_your_mark() -> None:
    made = paths(TURNS)

    assert made["turn"].count("M") == made["you"].count("M") == 2


def test_the_turn_at_work_is_now() -> None:
    assert paths(TURNS, live="work")["now"].startswith("M500 ")
    assert paths(TURNS, live="work")["turn"].count("M") == 1


def test_ten_thousand_calls_are_one_path_of_few_pieces() -> None:
    made = paths(SpoolData(tools=tuple(CallMark(n / 10_000, 0.001) for n in range(10_000))))

    assert list(made) == ["tool"]
    assert made["tool"].count("M") < 200


def test_of_calls_that_touch_the_longest_stands_for_all() -> None:
    together = SpoolData(tools=(CallMark(0.5, 0.0), CallMark(0.5005, 0.028), CallMark(0.501, 0.0)))

    assert paths(together)["tool"] == paths(SpoolData(tools=(CallMark(0.5, 0.028),)))["tool"]


def test_no_failure_is_lost_among_many_calls() -> None:
    tools = tuple(CallMark(n / 1_000, 0.0, n % 10 == 0) for n in range(1_000))

    assert paths(SpoolData(tools=tools))["err"].count("M") == 100


def test_thinking_is_left_out_of_the_smallest_size() -> None:
    tape = SpoolData(turns=TURNS.turns, thinking=(Interval(0.1, 0.2),))

    assert "think" not in paths(tape, "row")
    assert "think" in paths(tape, "page")


@pytest.mark.parametrize(("live", "name"), [("wait", "s-tri"), ("fail", "s-x"), ("ok", "s-end")])
def test_the_end_says_how_it_stands(live: Live, name: str) -> None:
    (mark,) = spool(TURNS, "row", live).marks

    assert mark.x == 100.0
    assert mark.paths[0][0] == name


def test_a_compaction_cuts_the_strip() -> None:
    (mark,) = spool(SpoolData(cuts=(0.34,)), "page").marks

    assert (mark.x, [name for name, _ in mark.paths]) == (34.0, ["s-cut-bg", "s-cut"])


def test_hits_and_the_reading_window_are_drawn() -> None:
    made = dict(spool(TURNS, hits=(0.1, 0.9), brush=(0.2, 0.4)).paths)

    assert made["hit"].count("M") == 2
    assert made["brush"].startswith("M200 ")


def test_a_pause_is_folded_where_it_was() -> None:
    made = dict(spool(SpoolData(folds=(Interval(0.25, 0.3), Interval(0.5, 0.55))), "page").paths)

    assert re.findall(r"M([\d.]+) ([\d.]+)", made["fold"]) == [("250", "0"), ("500", "0")]


def test_nothing_is_a_thread_alone() -> None:
    made = spool(SpoolData(), "row", "work")

    assert made.paths == ()
    assert made.thread


@given(st.lists(st.tuples(PARTS, PARTS, st.booleans()), max_size=30))
def test_nothing_stands_outside_the_strip(calls: list[tuple[float, float, bool]]) -> None:
    made = spool(SpoolData(tools=tuple(CallMark(*one) for one in calls)), "card")
    starts = re.findall(r"M(-?[\d.]+) (-?[\d.]+)", "".join(path for _, path in made.paths))

    assert all(0 <= float(x) <= 1_000 and 0 <= float(y) <= made.height for x, y in starts)


def test_what_the_eye_cannot_tell_apart_is_drawn_once() -> None:
    many = [Interval(n / 10_000, (n + 0.9) / 10_000) for n in range(10_000)]

    assert len(list(joined(many, 0.001))) == 1
    assert list(joined([Interval(0.5, 0.6), Interval(0.0, 0.1)], 0.001)) == [
        Interval(0.0, 0.1),
        Interval(0.5, 0.6),
    ]


def test_marks_that_would_touch_are_one() -> None:
    assert list(apart([0.5, 0.0, 0.001, 0.501, 0.9], 0.01)) == [0.0, 0.5, 0.9]


def test_a_long_session_takes_no_more_room_than_a_short_one() -> None:
    turns = tuple(Interval(n / 5_000, (n + 0.5) / 5_000) for n in range(5_000))
    drawn = spool(SpoolData(turns=turns, waits=turns), "row")

    assert sum(len(path) for _, path in drawn.paths) < 20_000


def test_a_strip_is_drawn_again_when_it_is_another() -> None:
    cache, strip = SpoolCache(), ActivityStrip(turns=(TimeSpan(0, 5), TimeSpan(8, 10)))
    first = cache.draw("a", strip, "row", "ok", "one")
    again = cache.draw("a", strip, "row", "ok", "two")
    other = cache.draw("a", strip._replace(turns=(TimeSpan(0, 10),)), "row", "ok", "one")

    assert again.paths is first.paths
    assert (first.label, again.label) == ("one", "two")
    assert other == spool(strip_data(ActivityStrip(turns=(TimeSpan(0, 10),))), "row", "ok", "one")
    assert cache.draw("a", strip, "card", "ok", "one").size == "card"
    assert cache.draw("a", strip, "card", "fail", "one") == spool(
        strip_data(strip), "card", "fail", "one"
    )


class Turns(tuple[TimeSpan, ...]):
    """Counts those that are gone."""

    gone = 0

    def __del__(self) -> None:
        Turns.gone += 1


def test_of_a_session_that_grows_one_strip_is_held() -> None:
    cache = SpoolCache()
    for n in range(1, 50):
        turns = Turns(TimeSpan(at, at + 1) for at in range(n))
        cache.draw("a", ActivityStrip(turns=turns), "row", "work", "")

    assert Turns.gone == 48


def test_what_was_drawn_has_a_limit() -> None:
    cache = SpoolCache(most=2)
    strips = [ActivityStrip(turns=(TimeSpan(0, n),)) for n in range(1, 4)]
    first, *_ = [cache.draw(str(n), strip, "row", "", "") for n, strip in enumerate(strips)]

    assert cache.draw("0", strips[0], "row", "", "").paths is not first.paths
