from collections.abc import Iterator
from threading import Event

import pytest

from unspool.cli.topping.feed import Feed
from unspool.model.board import Board


def test_the_newest_board_is_at_hand_and_each_is_told_of() -> None:
    told: list[None] = []
    done = Event()

    def boards(_: Event) -> Iterator[Board]:
        yield from (Board(at=1), Board(at=2))
        done.set()

    with Feed(boards, lambda: told.append(None)) as feed:
        assert done.wait(60)

        assert feed.board == Board(at=2)
        assert len(told) == 2


def test_there_is_no_board_before_the_first() -> None:
    def boards(stop: Event) -> Iterator[Board]:
        stop.wait(60)
        yield from ()

    with Feed(boards, lambda: None) as feed:
        assert feed.board is None


def test_whoever_leaves_stops_it() -> None:
    ended = Event()

    def boards(stop: Event) -> Iterator[Board]:
        yield Board(at=1)
        stop.wait(60)
        ended.set()

    with Feed(boards, lambda: None):
        pass

    assert ended.is_set()


def test_a_fault_is_raised_where_the_board_is_asked_for() -> None:
    told = Event()

    def boards(_: Event) -> Iterator[Board]:
        yield Board(at=1)
        raise RuntimeError("broken")

    def tell() -> None:
        if feed._fault:
            told.set()

    feed = Feed(boards, tell)
    with feed:
        assert told.wait(60)
        with pytest.raises(RuntimeError, match="broken"):
            assert feed.board
