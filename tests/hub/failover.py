"""A database that dies while a machine sends, and another that takes over."""

from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol

from tests.hub.collector.machine import LocalMachine
from tests.waiting import until
from unspool.hub.collector.link import HubAnswer, HubLink
from unspool.model.shipping import Receipt, SourceState

SHIPPED = 'SELECT local_id, generation, "offset" FROM unspool.shipped'


class Pair(Protocol):
    """Two servers, one of which has all that was committed on the other."""

    def kill(self) -> None:
        """End the primary as a power cut would."""

    def take_over(self) -> None:
        """Return when the other one takes writes."""

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What the one that took over has."""


class RecordingLink(HubLink):
    """Notes what was acknowledged; sends only while it may."""

    def __init__(self, url: str, key: str, failing: "FailOver") -> None:
        super().__init__(url, key)
        self._failing = failing

    def send(self, body: bytes) -> Receipt | HubAnswer:
        self._failing.may_send.wait()
        answer = super().send(body)
        if isinstance(answer, Receipt):
            self._failing.note(answer)
        return answer


class FailOver:
    """Has the primary die once so much was acknowledged."""

    def __init__(self, pair: Pair, after: int) -> None:
        self._pair, self._after = pair, after
        self.acked, self.may_send, self.is_over = list[SourceState](), Event(), Event()
        self.lost: list[tuple[int, ...]] | None = None  # of what had been acknowledged
        self._killed_at: float | None = None
        self.seconds: float | None = None  # from the death to the next acknowledgement
        self.may_send.set()

    def note(self, answer: Receipt) -> None:
        """Note what was acknowledged."""
        self.acked.extend(answer.acked)
        if self.lost is not None and self.seconds is None and self._killed_at is not None:
            self.seconds = monotonic() - self._killed_at

    def run(self) -> None:
        """Wait, kill, look."""
        if not until(lambda: len(self.acked) >= self._after, 600) or self.is_over.is_set():
            return
        self._pair.kill()
        self._killed_at = monotonic()
        self.may_send.clear()  # what is sent again would hide what was lost
        expected = [(one.local_id, one.generation, one.offset) for one in self.acked]
        self._pair.take_over()
        there = {(local, number): offset for local, number, offset in self._pair.rows(SHIPPED)}
        self.lost = [one for one in expected if there.get(one[:2], -1) < one[2]]
        self.may_send.set()

    def send(self, machine: LocalMachine, url: str, key: str) -> None:
        """Send all that a machine has, through the death."""
        killer = Thread(target=self.run)
        killer.start()
        try:
            link: Callable[[], HubLink] = partial(RecordingLink, url, key, self)
            machine.collector(link, in_flight=2).run(once=True)
        finally:
            self.is_over.set()
            killer.join()
