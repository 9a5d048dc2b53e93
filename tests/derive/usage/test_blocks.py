from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.usage.reports import (
    HOUR,
    MINUTE,
    blocks,
    daily_totals,
    newest_blocks,
    pace,
    recent_blocks,
)
from unspool.model.usage import TotalRow

# 2026-01-01T10:00:00Z
TEN = 1_767_261_600_000
LATER = TEN + 900 * HOUR


def total(first: int, last: int | None = None, model: str = "opus", pico: int = 10**12) -> TotalRow:
    at = first - first % (15 * MINUTE)
    counts = (10, 20, 300, 70, 0, pico, int(not pico), 0, 2, first, last or first)
    return (at, "-repo", "s1", "", model, *counts)


def test_a_block_begins_with_the_hour_of_its_first_response() -> None:
    (block,) = blocks([total(TEN + 20 * MINUTE), total(TEN + 3 * HOUR)], LATER)

    assert (block.start, block.end) == (TEN, TEN + 5 * HOUR)
    assert (block.spend.responses, block.spend.tokens) == (4, 800)


def test_a_block_ends_five_hours_after_it_began() -> None:
    times = (TEN + MINUTE, TEN + 5 * HOUR - 1, TEN + 5 * HOUR + 1)
    found = blocks([total(at) for at in times], LATER)

    assert [(block.start, block.spend.responses) for block in found] == [
        (TEN, 4),
        (TEN + 5 * HOUR, 2),
    ]


def test_a_pause_longer_than_a_block_is_a_gap() -> None:
    first, _, last = found = blocks([total(TEN + MINUTE), total(TEN + 12 * HOUR)], LATER)

    assert [block.is_gap for block in found] == [False, True, False]
    assert (found[1].start, found[1].end) == (TEN + MINUTE + 5 * HOUR, TEN + 12 * HOUR)
    assert (first.spend.responses, last.start) == (2, TEN + 12 * HOUR)


def test_the_length_of_a_block_can_be_another() -> None:
    found = blocks([total(TEN), total(TEN + 90 * MINUTE)], LATER, HOUR)

    assert [block.is_gap for block in found] == [False, True, False]


def test_the_order_of_sums_does_not_matter() -> None:
    totals = [total(TEN + n * 50 * MINUTE) for n in range(20)]

    assert blocks(totals[::-1], LATER) == blocks(totals, LATER)


def test_a_block_runs_while_its_time_is_not_over() -> None:
    totals = [total(TEN + MINUTE)]

    assert blocks(totals, TEN + 5 * HOUR - 1)[-1].is_active
    assert not blocks(totals, TEN + 5 * HOUR)[-1].is_active


def test_what_has_no_time_is_in_no_block() -> None:
    assert blocks([total(0)], LATER) == []


def test_a_block_names_its_models_and_those_without_a_price() -> None:
    (block,) = blocks([total(TEN, model="b", pico=0), total(TEN, model="a")], LATER)

    assert (block.models, block.unpriced) == (("a", "b"), ("b",))


def test_recent_blocks_are_of_three_days() -> None:
    now = TEN + 100 * HOUR
    ages = (80, 72, 48, 20)
    found = blocks([total(now - age * HOUR) for age in ages], now)
    recent = [block for block in recent_blocks(found, now) if not block.is_gap]

    assert [(now - block.start) // HOUR for block in recent] == [72, 48, 20]
    assert not any(block.is_active for block in recent)


def test_an_active_block_is_recent_however_long_ago_it_began() -> None:
    now = TEN + 80 * HOUR
    (block,) = blocks([total(TEN)], now, 100 * HOUR)

    assert block.is_active
    assert recent_blocks([block], now) == [block]


def test_the_pace_is_of_the_time_between_first_and_last() -> None:
    (block,) = blocks([total(TEN, TEN + 10 * MINUTE)], TEN + HOUR)
    found = pace(block, TEN + HOUR)

    assert found is not None
    assert (found.tokens_per_minute, found.spoken_per_minute) == (40.0, 3.0)
    assert (found.usd_per_hour, found.minutes_left) == (6.0, 240)
    assert (found.tokens, found.usd) == (400 + 40 * 240, 25.0)


def test_one_response_has_no_pace_and_what_is_over_has_none() -> None:
    (single,) = blocks([total(TEN)], TEN + HOUR)
    (over,) = blocks([total(TEN, TEN + MINUTE)], LATER)

    assert (pace(single, TEN + HOUR), pace(over, LATER)) == (None, None)


@given(
    st.lists(st.tuples(st.integers(1, 60 * HOUR), st.integers(0, HOUR)), max_size=30),
    st.integers(1, 5),
)
def test_the_newest_blocks_are_the_last_of_all(spans: list[tuple[int, int]], count: int) -> None:
    totals = [total(at, last=at + took) for at, took in spans]
    every = [one for one in blocks(totals, LATER) if not one.is_gap]

    assert newest_blocks(totals, LATER, count) == every[-count:]


def test_days_are_the_sums_of_their_hours() -> None:
    hours = [total(at) for at in (HOUR, 2 * HOUR, 30 * HOUR)] + [total(0)]
    found = daily_totals(hours, lambda at: at // (24 * HOUR))

    assert [(one[0], one[13]) for one in found] == [(HOUR, 4), (30 * HOUR, 2), (0, 2)]
