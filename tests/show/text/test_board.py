from typing import Any

import pytest

from tests.show.boards import NOW, board, row
from unspool.model.alerts import Alert
from unspool.model.session import Board, BoardSpend
from unspool.show.board_view import BoardView
from unspool.show.spans import cells, plain
from unspool.show.text.board import BoardScreen, Screen, board_screen


def drawn(found: Board, view: BoardView | None = None, **paper: Any) -> BoardScreen:
    given = {"width": 140, "height": 30, "now": NOW, **paper}
    return board_screen(found, view or BoardView(), Screen(**given))


def text(screen: BoardScreen) -> list[str]:
    return [plain(line) for line in screen.lines]


def many(count: int) -> Board:
    return board(*(row(f"p{n:03}") for n in range(count)))


@pytest.mark.parametrize(("width", "height"), [(140, 40), (80, 24), (50, 15), (20, 5), (30, 2)])
def test_a_screen_is_filled_and_not_overfilled(width: int, height: int) -> None:
    found = board(*(row(f"漢字{n}", waits_for="x" * 300) for n in range(200)))
    lines = drawn(found, width=width, height=height).lines

    assert len(lines) == height
    assert max(sum(cells(text) for _, text in line) for line in lines) <= max(width, 30)


def test_groups_stand_in_the_order_of_need() -> None:
    lines = text(drawn(board(row("a"), row("b", "ended"), row("c", "waiting_for_approval"))))
    groups = [line for line in lines if line.strip().startswith(("Waiting", "Working", "Ended"))]

    assert groups == [" Waiting for your approval  1", " Working  1", " Ended  1"]


def test_another_order_has_no_groups() -> None:
    lines = text(drawn(board(row("a"), row("b", "ended")), BoardView(sort="cost")))

    assert not any("Working" in line for line in lines)


def test_the_head_counts_and_tells_what_today_cost() -> None:
    found = board(
        row("a", "waiting_for_approval"), row("b"), today=BoardSpend(tokens=9, cost_usd=41.2)
    )
    head = text(drawn(found))[0]

    assert "▲ 1 approval" in head
    assert "● 1 working" in head
    assert "$41.20 today" in head


def test_a_calm_board_says_so() -> None:
    assert "no approval needed" in text(drawn(board(row("a"))))[0]


def test_alerts_stand_above_all_the_newest_last() -> None:
    alerts = [
        Alert(rule="r", session="s", at=n, message=f"alert {n}", key=str(n)) for n in range(5)
    ]
    lines = text(drawn(board(row("a", alerts=tuple(alerts[1:])), alerts=tuple(alerts[:3]))))

    assert [line.strip() for line in lines[1:4]] == ["! alert 2", "! alert 3", "! alert 4"]


def test_an_alert_is_shown_without_secrets() -> None:
    alert = Alert(rule="r", session="s", at=1, message="rm hunter2", key="1")
    screen = drawn(board(alerts=(alert,)), clean=lambda text: text.replace("hunter2", "[redacted]"))

    assert text(screen)[1].strip() == "! rm [redacted]"


def test_the_selected_row_is_in_sight_wherever_it_is() -> None:
    for n in (0, 57, 199):
        screen = drawn(many(200), BoardView(selected=f"-dev-p{n:03}/id-p{n:03}", sort="cost"))

        assert screen.selected is not None
        assert f"p{n:03}" in plain(screen.lines[screen.selected])


def test_what_is_out_of_sight_is_counted() -> None:
    foot = text(drawn(many(200), BoardView(selected="-dev-p100/id-p100", sort="cost")))[-1]

    above, below = (int(part) for part in foot.split() if part.isdecimal())
    assert above + below + 27 == 200


def test_a_session_that_runs_nothing_thinks_unless_its_agents_work() -> None:
    said = {"recent_output": "Nearly there."}
    lines = text(drawn(board(row("a", session=said), row("b", agents=("review",)))))

    assert any("Thinking · Nearly there." in line for line in lines)
    assert sum("Thinking" in line for line in lines) == 1


def test_an_empty_board_says_what_to_do() -> None:
    assert any("Start Claude Code" in line for line in text(drawn(board())))


def test_a_filter_that_fits_nothing_says_so() -> None:
    lines = text(drawn(board(row("a"), row("b")), BoardView(needle="zzz")))

    assert any("No session matches this filter." in line for line in lines)
    assert "/zzz" in lines[-1]


def test_what_is_typed_is_seen() -> None:
    assert text(drawn(board(row("a")), BoardView(typing=True, needle="ket")))[-1] == " /ket▏"


def test_help_names_every_key_and_sign() -> None:
    lines = "\n".join(text(drawn(board(row("a")), BoardView(help=True))))

    assert all(sign in lines for sign in ("Enter", "sort by", "▲", "●", "◇", "○", "■", "PgDn"))


def test_without_a_height_every_row_is_there_and_none_is_selected() -> None:
    screen = drawn(many(200), height=None)

    assert sum(" p" in line for line in text(screen)) == 200
    assert screen.selected is None
