from typing import Any

import pytest

from tests.show.boards import NOW, row
from unspool.model.document import PendingTool
from unspool.model.session import BoardRow, BoardSpend
from unspool.show.spans import Style, cells, plain
from unspool.show.text.board import age, column_titles, column_widths, row_line, spend_label


def shown(one: BoardRow, width: int = 140) -> str:
    return plain(row_line(one, column_widths(width), NOW, str))


def style_of(one: BoardRow, text: str) -> Style:
    line = row_line(one, column_widths(140), NOW, str)
    return next(style for style, said in line if text in said)


@pytest.mark.parametrize("width", [20, 36, 50, 63, 64, 80, 100, 118, 130, 140, 300])
def test_a_line_is_as_wide_as_its_paper_and_no_wider(width: int) -> None:
    wide = row("漢字プロジェクト" * 3, session={"title": "👩‍🚀 " * 50, "recent_output": "é" * 500})
    line = row_line(wide, column_widths(width), NOW, str)
    used = sum(cells(text) for _, text in line)

    assert used <= max(width, 30)
    assert cells(plain(column_titles(column_widths(width)))) <= max(width, 30)


def test_what_waits_for_approval_is_told_with_since_when() -> None:
    one = row("kettle", "waiting_for_approval", waits_for="Bash make tea")

    assert "▲  kettle" in shown(one)
    assert "Bash make tea" in shown(one)
    assert "5 min" in shown(one)
    assert style_of(one, "make tea") == "wait"


def test_a_call_that_waits_is_told_where_nobody_said_what_for() -> None:
    pending = PendingTool("t1", "Edit", "a.py")
    one = row("kettle", "waiting_for_approval", session={"pending_tool": pending})

    assert "Edit a.py" in shown(one)


def test_what_the_transcript_alone_says_is_marked_as_a_guess() -> None:
    assert "▲? kettle" in shown(row("kettle", "waiting_for_approval", evidence="inferred"))
    assert "?" not in shown(row("kettle", "idle", evidence="inferred"))


def test_the_first_of_many_running_calls_is_told() -> None:
    assert "Bash make  +2" in shown(row("kettle", running=("Bash make", "Read a", "Read b")))


def test_files_of_the_project_go_by_their_place_in_it() -> None:
    one = row("kettle", running=("Edit /dev/kettle/a.py",), session={"project_path": "/dev/kettle"})

    assert "Edit a.py" in shown(one)


def test_a_narrow_line_says_what_it_is_about_where_nothing_runs() -> None:
    assert "Title of kettle" in shown(row("kettle"), 60)


@pytest.mark.parametrize("width", [56, 64, 72, 80, 90, 100, 118, 140])
def test_a_title_is_there_beside_what_runs(width: int) -> None:
    first, second = (
        shown(row("kettle", running=("Bash make",), session={"title": title}), width)
        for title in ("Fix the lid", "Paint the handle")
    )

    assert ("Fix the lid" in first, "Paint the h" in second) == (True, True)
    assert "Bash make" in first


def test_at_80_columns_the_context_makes_room_and_the_cost_stays() -> None:
    titles = plain(column_titles(column_widths(80))).split()

    assert titles == ["PROJECT", "SESSION", "NOW", "SINCE", "TODAY"]


@pytest.mark.parametrize(
    ("used", "style", "told"), [(10, "work", "5%"), (160, "wait", "80%"), (190, "bad", "95%")]
)
def test_a_context_that_fills_up_is_seen(used: int, style: Style, told: str) -> None:
    one = row("kettle", context_tokens=used, context_limit=200)

    assert told in shown(one)
    assert style_of(one, "━") == style


def test_a_context_of_unknown_size_is_told_in_tokens() -> None:
    assert "142k" in shown(row("kettle", context_tokens=142_000))
    assert "━" not in shown(row("kettle", context_tokens=142_000))


def test_agents_at_work_are_counted() -> None:
    assert "2 agents" in shown(row("kettle", agents=("look", "review")))


@pytest.mark.parametrize(
    ("spend", "told"),
    [
        (BoardSpend(tokens=5, cost_usd=1.5), "$1.50"),
        (BoardSpend(tokens=5, cost_usd=None, unpriced=("x",)), "unpriced"),
        (BoardSpend(tokens=5, cost_usd=1.5, unpriced=("x",)), "$1.50 +?"),
    ],
)
def test_money_without_a_price_is_told(spend: BoardSpend, told: str) -> None:
    assert spend_label(spend) == told


def test_a_large_sum_is_never_cut() -> None:
    assert "  $12,346" in shown(row("kettle", today=BoardSpend(tokens=1, cost_usd=12345.67)))


@pytest.mark.parametrize(
    ("iso", "told"),
    [
        ("2026-11-15T23:54:19.000Z", "41 s"),
        ("2026-11-15T23:52:00.000Z", "3 min"),
        ("2026-11-15T21:00:00.000Z", "2 h"),
        ("2026-11-10T21:00:00.000Z", "5 d"),
        ("2026-11-16T01:00:00.000Z", "0 s"),
        (None, ""),
        ("nonsense", ""),
    ],
)
def test_since_is_told_in_one_unit(iso: str | None, told: str) -> None:
    assert age(iso, NOW) == told


def test_text_is_cleaned_before_it_is_cut() -> None:
    def clean(text: str) -> str:
        return text.replace("hunter2" * 40, "[gone]")

    secret: dict[str, Any] = {"title": "hunter2" * 40, "recent_output": "hunter2" * 40}
    line = plain(row_line(row("kettle", session=secret), column_widths(140), NOW, clean))

    assert "hunter2" not in line
    assert line.count("[gone]") == 2


def test_agents_are_told_with_what_runs_where_they_have_no_place_of_their_own() -> None:
    one = row("kettle", running=("Bash make",), agents=("look", "review"))

    assert "2 agents · Bash make" in shown(one, 80)
