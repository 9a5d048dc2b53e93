from msgspec import structs

from tests.show.html.sample_sessions import seen
from tests.show.made import call, document
from unspool.model.document import Compaction, Phase, ToolHook
from unspool.show.html.session_views import (
    TimedItem,
    call_rows,
    calls_summary,
    phase_rows,
    waterfall_fields,
)

SOME = (
    TimedItem(id="a", place="chunk-a", text="Claude", kind="chunk", level=0, start=0, end=1_000),
    TimedItem(id="t", place="step-t", text="Bash ls", kind="bad", level=9, start=500, end=1_000),
)


def test_a_bar_stands_where_it_began_and_is_as_long_as_it_took() -> None:
    whole, half = waterfall_fields(SOME)["bars"]

    assert (whole.x, whole.width, whole.took) == (0.0, 100.0, "1.0 s")
    assert (half.x, half.width, half.level, half.kind) == (50.0, 50.0, 4, "bad")


def test_bars_have_a_table() -> None:
    head, rows = waterfall_fields(SOME)["table"]

    assert len(head) == len(rows[0])
    assert rows[1][0] == "Bash ls"


def test_a_phase_says_what_its_compaction_left() -> None:
    ended = Compaction("auto", 168_000, 31_000, -137_000)
    one = Phase(number=1, first_chunk="a", last_chunk="b", peak_tokens=170_000, compaction=ended)

    assert phase_rows([one]) == (("1", "170k", "auto", "168k", "31.0k", "−137k"),)


def test_the_last_phase_was_not_ended_by_anything() -> None:
    assert phase_rows([Phase(number=2, first_chunk="a", last_chunk="b")]) == (
        ("2", "0", "", "", "", ""),
    )


def test_a_call_says_how_it_went_and_how_long_it_waited() -> None:
    one = call("Bash", "no", state="rejected", command="rm")
    (row,) = call_rows([structs.replace(one, hook=ToolHook("deny", 9_000, (), "user"))], seen())

    assert (row.state, row.waited, row.row.what) == ("fail", "9.0 s", "rm")
    assert row.decision == "decision deny · by user · waited 9.0 s"


def test_calls_are_counted_in_a_line() -> None:
    bad = structs.replace(call(state="error"), hook=ToolHook(waited_ms=60_000))

    assert calls_summary(document(tool_executions=(call(), bad))) == (
        "2 calls, 1 failed, waited 1 min for approval"
    )
    assert calls_summary(document()) == "0 calls, no failures"
