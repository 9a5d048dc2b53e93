"""Changes as somebody makes them, by a clock that moves only while the follower waits."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW
from unspool.engine.indexing.follow import Follow, WakeUp
from unspool.engine.indexing.indexer import Indexer
from unspool.model.files import Root, WatchEvent
from unspool.store import Store


def changed(*paths: Path, gone: bool = False) -> tuple[WatchEvent, ...]:
    """What a watcher says of transcripts."""
    return tuple(WatchEvent(path=str(path), kind="main", gone=gone) for path in paths)


class Script:
    """Does one thing whenever it is asked for news; when nothing is left, it says stop."""

    def __init__(self, *scenes: Callable[[], Sequence[WatchEvent] | None]) -> None:
        self.at = 0.0
        self.told: list[WakeUp] = []
        self._scenes = list(scenes)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def next(self, stop: Event, wait: float) -> tuple[WatchEvent, ...]:
        self.at += wait
        if not self._scenes:
            stop.set()
            return ()
        return tuple(self._scenes.pop(0)() or ())

    def passes(self, seconds: float) -> None:
        """Let time go by."""
        self.at += seconds

    def follow(self, store: Store, *roots: Root, now: int = NOW) -> "Script":
        """Play it to the end before a new follower of these roots."""
        indexer = Indexer(store, roots, TABLE)
        clock = lambda: self.at  # noqa: E731
        Follow(
            indexer, self, self.told.append, now=lambda: now + int(self.at * 1_000), clock=clock
        ).run(Event())
        return self

    @property
    def said(self) -> list[str]:
        """All that was said to a person."""
        return [said for woken in self.told for said in woken.messages]
