"""The live board, kept in step by a thread from the first time somebody asks for it."""

from collections.abc import Iterable
from threading import Event, Lock, Thread
from typing import Final

from msgspec import structs

from unspool.engine.board import LiveBoard, OpenSession
from unspool.engine.marked import marked_board
from unspool.engine.owners import Owners
from unspool.model.files import WatchEvent
from unspool.model.session import Board
from unspool.serve.desks.around import Around
from unspool.source.watch import Watcher

_IDLE: Final = 2.0
_GATHER: Final = 0.1  # nobody sees a board sooner, and much may be written meanwhile
# When these were taken away says when something ended; of all others only what they hold matters.
_TIMELY: Final = frozenset({"registry", "spool", "hook_log"})


def _silent(_: str) -> None:
    """Ignore the watcher's messages: the indexer reports the same."""


class Boards:
    """Nobody asks: nothing is watched, and of what grows nothing is read."""

    def __init__(self, around: Around, open_session: OpenSession) -> None:
        self._around = around
        self._open_session = open_session
        self._lock = Lock()
        self._stop = Event()
        self._live: LiveBoard | None = None
        self._thread: Thread | None = None
        self._grown: dict[str, WatchEvent] = {}

    def board(self) -> Board:
        """How all sessions stand now."""
        with self._lock:
            live, now = self._live or self._begun(), self._around.now()
            if self._grown:
                live.look(self._grown.values(), now)
                self._grown.clear()
            return marked_board(live.board(now), self._around.store.marks.all())

    def _begun(self) -> LiveBoard:
        around = self._around
        watcher = Watcher(around.roots, around.spool, say=_silent)
        watcher.__enter__()  # before the board: what changes from now on is told
        owners = Owners(around.roots, around.store)
        watching = structs.replace(around.watching, owners=owners)
        self._live = LiveBoard(
            around.roots,
            around.prices,
            watching,
            now=around.now(),
            open_session=self._open_session,
        )
        self._thread = Thread(target=self._follow, args=(watcher,), name="board", daemon=True)
        self._thread.start()
        return self._live

    def _follow(self, watcher: Watcher) -> None:
        with_news = watcher.batches(self._stop, idle=_IDLE)
        try:
            for batch in with_news:
                with self._lock:
                    self._note(batch)
                self._stop.wait(_GATHER)
        finally:
            watcher.__exit__()

    def _note(self, batch: Iterable[WatchEvent]) -> None:
        """Look at what cannot wait, and remember what can."""
        timely = []
        for one in batch:
            self._grown.pop(one.path, None)
            if one.gone or one.kind in _TIMELY:
                timely.append(one)
            else:
                self._grown[one.path] = one
        if self._live is not None and timely:
            self._live.look(timely, self._around.now())

    def close(self) -> None:
        """Watch no more."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0)
