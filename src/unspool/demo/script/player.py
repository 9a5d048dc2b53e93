"""Running sessions: several stories at once, each step written when its time comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import count

from unspool.demo.script.files import Stage, StoryRegistry
from unspool.demo.script.session import Deed, SessionRun
from unspool.demo.script.speaker import plan_run
from unspool.demo.script.steps import Story

# A demo that nobody closes stops growing: each process plays so many sessions, rests longer after
# each, and leaves the last one open.
_MOST_RUNS = 12
_REST = 240
_SOON = timedelta(seconds=5)
_YEARS = 10 * 365 * 86_400.0


class _Slot:
    """One process: its stories take turns, each time as a new session."""

    def __init__(self, stage: Stage, stories: Sequence[Story], pid: int, at: datetime) -> None:
        self._stage, self._stories = stage, stories
        self._registry = StoryRegistry(stage.root, pid)
        self._count = 0
        self._run, self._deeds = self._next()
        # The first one has gone on for a while already.
        self._run.begin = at - timedelta(seconds=self._run.now_at)

    def due(self) -> datetime | None:
        """When the next deed is due; None if nothing is left."""
        if not self._deeds:
            return None
        return self._run.begin + timedelta(seconds=self._deeds[0][0])

    def step(self) -> None:
        """Do the next deed; after the last one plan another session, if there is to be one."""
        at, deed = self._deeds.popleft()
        self._run.play(at, deed)
        self._run.flush()
        if not self._deeds and self._count < _MOST_RUNS:
            begin = self._run.begin + timedelta(seconds=at) + _SOON
            self.close()
            self._run, self._deeds = self._next()
            self._run.begin = begin

    def close(self) -> None:
        """Close the files of the session."""
        self._run.close()

    def _next(self) -> tuple[SessionRun, deque[Deed]]:
        story = self._stories[self._count % len(self._stories)]
        takes = (SessionRun(self._stage, story, take=n) for n in count(self._count))
        take = next(n for n, run in enumerate(takes, self._count) if not run.is_written)
        self._count += 1
        rest = _REST * self._count if self._count < _MOST_RUNS else None
        run = plan_run(self._stage, story, take=take, registry=self._registry, rest=rest)
        return run, deque(run.ordered())


def play(
    stage: Stage,
    stories: Sequence[Sequence[Story]],
    pids: Sequence[int],
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
    seconds: float = _YEARS,
) -> None:
    """Let stories run, one list for each process, until they are told or the time is over."""
    began = now().astimezone(UTC)
    slots = [_Slot(stage, told, pid, began) for told, pid in zip(stories, pids, strict=True)]
    try:
        _play(slots, now, sleep, began + timedelta(seconds=seconds))
    finally:
        for slot in slots:
            slot.close()


def _play(
    slots: Sequence[_Slot],
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
    end: datetime,
) -> None:
    queue = [(due, n) for n, slot in enumerate(slots) if (due := slot.due())]
    heapify(queue)
    while queue:
        due, n = heappop(queue)
        if due > end:
            break
        wait = (due - now()).total_seconds()
        if wait > 0:
            sleep(wait)
        slots[n].step()
        following = slots[n].due()
        if following is not None:
            heappush(queue, (following, n))
