"""The live board, kept in step by a thread from the first time somebody asks for it."""

from threading import Event, Lock, Thread
from typing import Final

from unspool.model.board import Board
from unspool.recall.board import LiveBoard
from unspool.serve.desks.around import Around
from unspool.source.watch import Watcher

_IDLE: Final = 2.0


def _silent(_: str) -> None:
    """How the watcher fares is told by whoever writes the index."""


class Boards:
    """Nobody asks: nothing is watched."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._stop = Event()
        self._live: LiveBoard | None = None
        self._thread: Thread | None = None

    def board(self) -> Board:
        """How all sessions stand now."""
        with self._lock:
            live = self._live or self._begun()
            return live.board(self._around.now())

    def _begun(self) -> LiveBoard:
        around = self._around
        watcher = Watcher(around.roots, around.spool, say=_silent)
        watcher.__enter__()  # before the board: what changes from now on is told
        self._live = LiveBoard(around.roots, around.prices, around.watching, now=around.now())
        self._thread = Thread(target=self._follow, args=(watcher,), name="board", daemon=True)
        self._thread.start()
        return self._live

    def _follow(self, watcher: Watcher) -> None:
        with_news = watcher.batches(self._stop, idle=_IDLE)
        try:
            for batch in with_news:
                with self._lock:
                    if self._live is not None and batch:
                        self._live.look(batch, self._around.now())
        finally:
            watcher.__exit__()

    def close(self) -> None:
        """Watch no more."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0)
