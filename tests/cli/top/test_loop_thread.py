from collections.abc import Iterator
from threading import Event

import pytest

from unspool.cli.top.loop import BoardThread
from unspool.model.session import Board


def test_the_newest_board_is_at_hand_and_each_is_told_of() -> None:
    told: list[None] = []
    done = Event()

    def boards(_: Event) -> Iterator[Board]:
        yield from (Board(at=1), Board(at=2))
        done.set()

    with BoardThread(boards, lambda: told.append(None)) as thread:
        assert done.wait(60)

        assert thread.board == Board(at=2)
        assert len(told) == 2


def test_there_is_no_board_before_the_first() -> None:
    def boards(stop: Event) -> Iterator[Board]:
        stop.wait(60)
        yield from ()

    with BoardThread(boards, lambda: None) as thread:
        assert thread.board is None


def test_whoever_leaves_stops_it() -> None:
    ended = Event()

    def boards(stop: Event) -> Iterator[Board]:
        yield Board(at=1)
        stop.wait(60)
        ended.set()

    with BoardThread(boards, lambda: None):
        pass

    assert ended.is_set()


def test_a_fault_is_raised_where_the_board_is_asked_for() -> None:
    told = Event()

    def boards(_: Event) -> Iterator[Board]:
        yield Board(at=1)
        raise RuntimeError("broken")

    def tell() -> None:
        if thread._fault:
            told.set()

    thread = BoardThread(boards, tell)
    with thread:
        assert told.wait(60)
        with pytest.raises(RuntimeError, match="broken"):
            assert thread.board
