from collections.abc import Callable, Iterator
from threading import Event, Thread

import pytest

from tests.cli.top.ptys import Pty, pty
from tests.show.boards import NOW, board, row
from unspool.cli.top.loop import BoardLoop, BoardThread, LoopContext
from unspool.cli.top.terminal import open_terminal
from unspool.model.document import StatusName
from unspool.model.session import Board, BoardRow
from unspool.show.board_view import BoardView
from unspool.show.spans import Line

Lines = Callable[[BoardRow, int], Iterator[Line]]
BOARD = board(row("kettle"), row("lantern", "idle"))


@pytest.fixture
def person() -> Iterator[Pty]:
    with pty() as made:
        yield made


def one_line(one: BoardRow, _: int) -> Iterator[Line]:
    yield (("", f"the story of {one.session.project_name}"),)


def shown(
    person: Pty, *presses: tuple[str, str], found: Board = BOARD, story: Lines = one_line
) -> str:
    """What is drawn while keys are pressed, each as soon as what comes before it is seen."""

    def boards(stop: Event) -> Iterator[Board]:
        yield found
        stop.wait(60)

    typing = Thread(target=person.act, args=(presses,))
    ends = person.theirs, person.theirs
    with open_terminal(*ends) as terminal, BoardThread(boards, terminal.wake) as thread:
        typing.start()
        BoardLoop(terminal, thread, LoopContext(lambda: NOW, story), BoardView()).run()
    typing.join(60)
    return person.seen


def test_the_board_is_drawn_until_somebody_leaves(person: Pty) -> None:
    drawn = shown(person, ("kettle", "q"))

    assert "kettle" in drawn
    assert "lantern" in drawn


def test_enter_opens_the_selected_session_and_q_comes_back(person: Pty) -> None:
    drawn = shown(person, ("lantern", "j\r"), ("the story of lantern", "q"), ("? help", "q"))

    assert drawn.count("? help") == 2


def test_the_first_session_is_opened_where_none_was_chosen(person: Pty) -> None:
    shown(person, ("lantern", "\r"), ("the story of kettle", "q"), ("? help", "q"))

    assert not person.missing


@pytest.mark.parametrize(("state", "first"), [("working", 60), ("idle", 60), ("ended", 0)])
def test_a_session_opens_at_its_end_unless_it_has_ended(
    person: Pty, state: StatusName, first: int
) -> None:
    def long(_: BoardRow, __: int) -> Iterator[Line]:
        yield from ((("", f"line {n} of it"),) for n in range(61))

    shown(
        person,
        ("kettle", "\r"),
        (f"line {first} of it", "q"),
        ("? help", "q"),
        found=board(row("kettle", state)),
        story=long,
    )

    assert not person.missing


def test_q_is_a_letter_while_a_filter_is_typed(person: Pty) -> None:
    shown(person, ("lantern", "/q\r"), ("No session matches", "q"))

    assert not person.missing


def test_escape_alone_is_noticed(person: Pty) -> None:
    shown(person, ("lantern", "/zz\r"), ("No session matches", "\x1b"), ("kettle", "q"))

    assert not person.missing


def test_an_empty_board_opens_nothing(person: Pty) -> None:
    shown(person, ("No live sessions", "\rq"), found=board())

    assert not person.missing
