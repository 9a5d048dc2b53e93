"""A session's links, for many readers: one looks at a time, and no more often than it is worth."""

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Final

from unspool.engine.heads import Head
from unspool.engine.neighbours import Neighbours
from unspool.model.document import SessionLinks
from unspool.model.files import Root, TranscriptFile

# Where many sessions are being written, looking at all takes a hundredth of the time at most.
_SHARE: Final = 100.0
_QUICK: Final = 0.01


class SharedNeighbours(Neighbours):
    """What took long to find is good for a while."""

    def __init__(self, roots: Sequence[Root], clock: Callable[[], float] = monotonic) -> None:
        super().__init__(roots)
        self._lock, self._clock = Lock(), clock
        self._until = 0.0

    def links(self, file: TranscriptFile, own: Head, resumed_from: str = "") -> SessionLinks:
        """What ties a session to others, now or a moment ago."""
        with self._lock:
            begun = self._clock()
            if begun >= self._until:
                self.look_around(file.root)
                done = self._clock()
                self._until = done + _SHARE * max(done - begun - _QUICK, 0.0)
            return self.known_links(file, own, resumed_from)


class Alone(Neighbours):
    """For a session that was only begun: nobody is looked at."""

    def links(self, file: TranscriptFile, own: Head, resumed_from: str = "") -> SessionLinks:
        """None."""
        return SessionLinks()
