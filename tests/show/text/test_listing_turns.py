import re

from msgspec import structs

from tests.show.made import PIPE, at, texts
from unspool.model.document import Metrics, Turn
from unspool.show.text.listing import turn_table


def test_a_turn_is_one_line() -> None:
    made = Turn(
        index=1,
        prompt="Make it\nquick",
        start_time=at(2),
        duration_ms=420_000,
        models=("claude-opus-4-6",),
        metrics=Metrics(cost_usd=0.62, total_tokens=1_234),
        stop_reason="end_turn",
        tool_calls=14,
    )

    assert re.split(r"\s{2,}", texts(turn_table([made], PIPE))[1]) == [
        "1", "10:02", "7 min", "14", "1.2k", "$0.62", "Make it quick", "opus-4-6", "end_turn",
    ]  # fmt: skip


def test_the_duration_claude_code_reports_is_believed_first() -> None:
    made = Turn(index=1, duration_ms=420_000, reported_duration_ms=60_000)

    assert "1 min" in texts(turn_table([made], PIPE))[1]


def test_a_turn_without_a_prompt_has_its_place() -> None:
    assert texts(turn_table([Turn(index=1)], PIPE))[1].endswith("…")


def test_where_there_is_less_room_the_model_goes_before_the_tokens() -> None:
    long = Turn(
        index=1,
        prompt="Make it quick " * 9,
        models=("claude-opus-4-6",),
        metrics=Metrics(total_tokens=1_234),
    )
    titles = [
        set(texts(turn_table([long], structs.replace(PIPE, width=width)))[0].split())
        for width in range(120, 20, -1)
    ]
    without_model = [here for here in titles if "MODEL" not in here]

    assert "TOKENS" in without_model[0]
    assert not [here for here in titles if "MODEL" in here and "TOKENS" not in here]
