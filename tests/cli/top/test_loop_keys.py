import pytest

from unspool.cli.top.loop import view_after
from unspool.cli.top.pager import steps
from unspool.show.board_view import BoardView

ROWS = [f"row {n}" for n in range(10)]


def after(keys: list[str], view: BoardView | None = None) -> BoardView:
    view = view or BoardView()
    for key in keys:
        view = view_after(key, view, ROWS, 4)
    return view


@pytest.mark.parametrize(
    ("keys", "selected"),
    [
        (["j"], "row 1"),
        (["down", "down", "up"], "row 1"),
        (["k"], "row 0"),
        (["page down"], "row 4"),
        (["G"], "row 9"),
        (["G", "j"], "row 9"),
        (["end", "page up"], "row 5"),
        (["G", "g"], "row 0"),
    ],
)
def test_keys_move_the_selection(keys: list[str], selected: str) -> None:
    assert after(keys).selected == selected


def test_a_session_that_is_gone_is_left_for_the_first_rows() -> None:
    assert after(["j"], BoardView(selected="gone")).selected == "row 1"


def test_where_there_are_no_rows_nothing_moves() -> None:
    assert view_after("j", BoardView(), [], 4) == BoardView()


def test_each_press_of_s_is_another_order_and_then_the_first() -> None:
    orders = [after(["s"] * n).sort for n in range(5)]

    assert orders == ["status", "activity", "cost", "context", "status"]


def test_letters_go_to_the_filter_while_it_is_typed() -> None:
    view = after(["/", "j", "q", "s", "backspace"])

    assert (view.needle, view.typing, view.sort) == ("jq", True, "status")


def test_enter_keeps_the_filter_and_escape_drops_it() -> None:
    kept = after(["/", "j", "enter"])

    assert (kept.needle, kept.typing) == ("j", False)
    assert after(["escape"], kept).needle == ""
    assert after(["/", "x", "escape"]) == BoardView()


def test_a_filter_has_an_end() -> None:
    assert len(after(["/", *"x" * 500]).needle) == 100


def test_a_filter_can_be_wiped_at_once() -> None:
    assert after(["/", "a", "b", "clear"]).needle == ""


def test_any_key_closes_help() -> None:
    assert after(["?"]).help
    assert after(["?", "j"]) == BoardView()


def test_a_key_without_a_meaning_changes_nothing() -> None:
    assert after(["x", "redraw", "漢"]) == BoardView()
    assert steps("x", 4) == 0
