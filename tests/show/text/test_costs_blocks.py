from unspool.model.usage import CostBlock, Pace, Spend
from unspool.show.text.costs import blocks_table, pace_lines

HOUR, NOON = 3_600_000, 1_769_860_800_000
SPEND = Spend(1, 2, 3, 4, 0, 15 * 10**11, 0, 0, 5, NOON, NOON + 1_500)
RUNNING = CostBlock(NOON, NOON + 5 * HOUR, SPEND, ("claude-opus-4-6",), is_active=True)


def clock(ms: int) -> str:
    return f"2026-01-31 {12 + (ms - NOON) // HOUR:02}:00"


def test_a_block_is_told_by_its_hours() -> None:
    _, line = blocks_table([RUNNING], clock)

    assert line.startswith("2026-01-31 12:00 – 17:00  active  opus-4-6 ")


def test_a_gap_says_how_long_it_was() -> None:
    _, line = blocks_table([CostBlock(NOON, NOON + 7 * HOUR, is_gap=True)], clock)
    _, days = blocks_table([CostBlock(NOON, NOON + 50 * HOUR, is_gap=True)], clock)

    assert line.endswith("gap of 7 h 00 min")
    assert days.endswith("gap of 2 d 2 h")


def test_the_pace_is_told_with_what_it_comes_to() -> None:
    pace = Pace(128.4, 5.3, 0.5, 240, 900, 1.25)
    lines = list(pace_lines(RUNNING, pace, NOON + HOUR, 1_000))

    assert lines == [
        "1 h 00 min elapsed, 4 h 00 min left",
        "10 tokens, $1.50 so far",
        "128 tokens/min, $0.50/h",
        "projected: 900 tokens, $1.25",
        "that is 90% of the limit of 1,000 tokens",
    ]


def test_without_a_pace_there_is_no_guess() -> None:
    lines = list(pace_lines(RUNNING, None, NOON + 20 * 60_000, None))

    assert lines == ["20 min elapsed, 4 h 40 min left", "10 tokens, $1.50 so far"]
