import pytest

from tests.show.boards import board, row
from unspool.model.alerts import Alert
from unspool.model.document import Status
from unspool.model.session import Board, BoardRow
from unspool.show.board_view import (
    BoardView,
    SlotOrder,
    Sort,
    board_alerts,
    context_share,
    group_by_status,
    selected_index,
    sort_rows,
)

STATES = board(
    row("gone", "ended"),
    row("still", "idle"),
    row("asks", "waiting_for_input"),
    row("busy", "working"),
    row("stuck", "waiting_for_approval"),
)


def names(found: Board, **view: object) -> list[str]:
    return [one.session.project_name for one in sort_rows(found, BoardView(**view))]  # type: ignore[arg-type]


def test_what_waits_for_you_comes_first() -> None:
    assert names(STATES) == ["stuck", "busy", "asks", "still", "gone"]


def test_who_has_waited_longest_is_first_of_those_who_wait() -> None:
    late = row("late", "waiting_for_approval", since="2026-11-15T23:54:00.000Z")
    early = row("early", "waiting_for_approval", since="2026-11-15T23:40:00.000Z")

    assert names(board(late, early)) == ["early", "late"]


def test_of_those_at_work_the_one_that_moved_last_is_first() -> None:
    late = row("late", since="2026-11-15T23:54:00.000Z")

    assert names(board(row("early"), late)) == ["late", "early"]


@pytest.mark.parametrize(
    ("sort", "first"), [("activity", "recent"), ("cost", "dear"), ("context", "full")]
)
def test_rows_are_sorted_by_what_is_asked(sort: Sort, first: str) -> None:
    rows = [
        row("recent", since="2026-11-15T23:54:00.000Z", cost=0.1),
        row("dear", "ended", cost=50.0),
        row("full", cost=0.2, context_tokens=190_000, context_limit=200_000),
    ]

    assert names(board(*rows), sort=sort)[0] == first


def test_a_session_without_a_price_is_no_dear_one() -> None:
    assert names(board(row("unknown", cost=None), row("cheap", cost=0.01)), sort="cost") == [
        "cheap",
        "unknown",
    ]


def test_every_word_must_fit_somewhere() -> None:
    rows = board(row("kettle", running=("Bash make tea",)), row("lantern"))

    assert names(rows, needle="KETTLE tea") == ["kettle"]
    assert names(rows, needle="kettle lantern") == []


def test_a_status_can_be_looked_for() -> None:
    assert names(STATES, needle="waiting for") == ["stuck", "asks"]


def test_groups_keep_the_order_of_the_board() -> None:
    found = group_by_status(sort_rows(STATES, BoardView()))

    assert list(found) == [
        "waiting_for_approval",
        "working",
        "waiting_for_input",
        "idle",
        "ended",
    ]


def test_the_selection_stays_with_its_session() -> None:
    before = sort_rows(STATES, BoardView())
    moved = board(*(one for one in STATES.rows if one.session.status != Status("working")))
    view = BoardView(selected="-dev-still/id-still")

    assert before[selected_index(before, view)].session.project_name == "still"
    after = sort_rows(moved, view)
    assert after[selected_index(after, view)].session.project_name == "still"


def test_a_selection_that_is_gone_falls_on_the_first_row() -> None:
    assert selected_index(sort_rows(STATES, BoardView()), BoardView(selected="-dev-none/none")) == 0


def test_a_context_that_is_over_full_is_full() -> None:
    assert context_share(row("x", context_tokens=300, context_limit=200)) == 1.0
    assert context_share(row("x", context_tokens=300)) is None


def test_alerts_of_the_day_and_of_sessions_are_told_once_each() -> None:
    early, late = (Alert(rule="r", session="s", at=at, message="m", key=str(at)) for at in (1, 2))
    found = board(row("x", alerts=(late, early)), alerts=(early,))

    assert board_alerts(found) == [early, late]


def began(name: str, hour: int) -> BoardRow:
    return row(name, session={"start_time": f"2026-11-15T{hour:02}:00:00.000Z"})


def places(order: SlotOrder, *rows: BoardRow) -> list[str]:
    return [one.session.project_name for one in order.sorted(rows)]


def test_sessions_seen_at_once_stand_in_the_order_they_began() -> None:
    assert places(SlotOrder(), began("b", 9), row("c"), began("a", 8)) == ["a", "b", "c"]


def test_one_that_is_seen_later_is_last_though_it_began_first() -> None:
    order = SlotOrder()
    places(order, began("b", 9))

    assert places(order, began("a", 8), began("b", 9)) == ["b", "a"]


def test_one_that_comes_back_is_last() -> None:
    order = SlotOrder()
    places(order, began("a", 8), began("b", 9))
    places(order, began("b", 9))

    assert places(order, began("a", 8), began("b", 9)) == ["b", "a"]
