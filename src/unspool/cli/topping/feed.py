"""Boards as they come, in a thread of their own: the newest is at hand, and who draws is told."""

from collections.abc import Callable, Iterator
from threading import Event, Thread
from types import TracebackType
from typing import Self

from unspool.model.board import Board


class Feed:
    """Runs from `with` on; a fault of the thread is raised where the board is asked for."""

    def __init__(
        self, boards: Callable[[Event], Iterator[Board]], tell: Callable[[], None]
    ) -> None:
        self._boards = boards
        self._tell = tell
        self._stop = Event()
        self._board: Board | None = None
        self._fault: Exception | None = None
        self._thread = Thread(target=self._run, name="board", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        # It may be in the middle of a long session; it only reads, and ends with the process.
        self._thread.join(0.5)

    @property
    def board(self) -> Board | None:
        """The newest board; None until there is one."""
        if self._fault is not None:
            raise self._fault
        return self._board

    def _run(self) -> None:
        try:
            for board in self._boards(self._stop):
                self._board = board
                self._tell()
        except Exception as error:
            self._fault = error
            self._tell()
