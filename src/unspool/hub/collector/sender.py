"""The collector: asks the hub what it has, compares, ships the difference, and goes on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from http import HTTPStatus
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, NamedTuple

from unspool.errors import UnspoolError
from unspool.hub.checks import is_fuller
from unspool.hub.collector.link import HubAnswer, HubLink, pause
from unspool.hub.collector.outputs import OutputQueue
from unspool.hub.collector.packing import EnvelopeMaker, bare, smaller
from unspool.hub.collector.queue import ShipQueue
from unspool.hub.collector.shipments import SourceShipper
from unspool.hub.collector.tombstones import TombstoneQueue
from unspool.model.shipping import (
    MachineReport,
    Receipt,
    Shipment,
    ShipMode,
    ShippedOutput,
    ShippedTombstone,
    SourceState,
)

_IN_FLIGHT: Final = 2
_LONGEST_WAIT: Final = 300.0
_LOOK_EVERY: Final = 0.25
# A hub that was restored from a backup has less than it said.
_COMPARE_EVERY: Final = 600.0
# A machine with nothing to send says so, and is seen.
_TELL_EVERY: Final = 60.0
# Raw bytes and lines of one envelope.
_ENOUGH_BYTES: Final = 1024 * 1024
_ENOUGH_LINES: Final = 2_000
_FINAL: Final = {
    HTTPStatus.UNAUTHORIZED: "The hub does not know this machine's key, or has revoked it.",
    HTTPStatus.UPGRADE_REQUIRED: "The hub uses another version of the protocol.",
    HTTPStatus.NOT_FOUND: "There is no hub at this address.",
}


class CollectorStopped(UnspoolError):
    """The hub refuses this machine: trying again would not help."""


class LesserMode(UnspoolError):
    """The hub takes less than this machine's mode sends; nothing more is sent in that mode."""

    def __init__(self, mode: ShipMode) -> None:
        super().__init__(f"The hub accepts mode {mode}.")
        self.mode: ShipMode = mode


class CollectorParts(NamedTuple):
    """What a collector works with."""

    queue: ShipQueue
    shipper: SourceShipper
    envelopes: EnvelopeMaker
    outputs: OutputQueue
    tombstones: TombstoneQueue
    link: Callable[[], HubLink]  # one for each thread
    now: Callable[[], int]
    say: Callable[[str], object] = lambda _: None
    in_flight: int = _IN_FLIGHT
    longest_wait: float = _LONGEST_WAIT


class Collector:
    """Ships until it is stopped; it can be killed at any time."""

    def __init__(self, parts: CollectorParts, stop: Event) -> None:
        self._parts, self._stop = parts, stop
        self._lock = Lock()  # derives one envelope at a time: folds are shared
        self._failures = 0  # since the hub last took something
        self._trouble: UnspoolError | None = None
        self._has_failed = Event()
        self._told: MachineReport | None = None  # the last report on the queue
        self._told_at = -_TELL_EVERY

    def run(self, *, once: bool = False) -> None:
        """Ship what there is, and what comes; with `once`, until there is nothing left."""
        while not self._stop.is_set():
            with closing(self._parts.link()) as link:
                states = self._states(link)
                if self._forget(link):
                    states = self._states(link)  # the hub has less now
                self._parts.queue.compare(states)
                self._parts.outputs.compare(states)
            is_done = self._round(once=once)
            if self._trouble is not None:
                raise self._trouble
            if once and is_done:
                return

    def _states(self, link: HubLink) -> list[SourceState]:
        """All that the hub has of this machine."""
        found: list[SourceState] = []
        after = -1
        while not self._stop.is_set():
            digest = self._parts.tombstones.digest() if after < 0 else ""
            page = link.states(after, digest)
            if isinstance(page, HubAnswer):
                self._wait(page)
                continue
            if lesser := self._lesser(page.takes):
                raise lesser
            if after < 0:
                self._parts.tombstones.compare(page.forgotten)
            found += page.sources
            if page.next is None:
                break
            after = page.next
        return found

    def _lesser(self, takes: ShipMode | None) -> LesserMode | None:
        """What to stop with where the hub takes less; it cannot ask for more."""
        if takes is None or not is_fuller(self._parts.envelopes.mode, takes):
            return None
        return LesserMode(takes)

    def _forget(self, link: HubLink) -> bool:
        """Send tombstones before anything else; whether there were any."""
        has_sent = False
        while (some := self._parts.tombstones.waiting()) and not self._stop.is_set():
            answer = self._delivered(link, (), some)
            if isinstance(answer, HubAnswer):
                self._parts.say(f"The hub refuses to forget sessions: {answer.detail}")
            if answer is not None:  # also where it refuses: until the next comparison
                has_sent = True
                self._parts.tombstones.delivered(some)
        return has_sent

    def _round(self, *, once: bool) -> bool:
        """Ship until it is time to compare again; whether nothing is left."""
        self._has_failed.clear()
        over = Event()
        threads = [
            Thread(target=self._work, args=(over, once), name=f"unspool-ship-{n}", daemon=True)
            for n in range(self._parts.in_flight)
        ]
        for one in threads:
            one.start()
        left = _COMPARE_EVERY
        while any(one.is_alive() for one in threads) and left > 0:
            threads[0].join(_LOOK_EVERY)
            left -= _LOOK_EVERY
            if not once and not self._stop.is_set():
                self._parts.queue.look()
                self._parts.outputs.look()
                if self._parts.tombstones.waiting():
                    break
        over.set()
        for one in threads:
            one.join()
        return not self._has_failed.is_set() and not self._parts.queue.has_waiting

    def _work(self, over: Event, once: bool) -> None:
        try:
            with closing(self._parts.link()) as link:
                while not (over.is_set() or self._stop.is_set() or self._has_failed.is_set()):
                    if not self._ship(link):
                        if once:
                            return
                        over.wait(_LOOK_EVERY)
        except UnspoolError as error:
            self._trouble = error
            self._has_failed.set()
            self._stop.set()

    def _ship(self, link: HubLink) -> bool:
        """Ship one envelope; whether there was anything to ship."""
        with self._lock:
            taken, shipments = self._gathered()
            part = None if shipments else self._parts.outputs.take()
            if not shipments and part is None:
                self._tell(link)
        try:
            if shipments:
                self._send(link, shipments)
            if part is not None:
                self._send_output(link, part)
            return bool(shipments) or part is not None
        finally:
            self._parts.queue.give_back(taken)

    def _send_output(self, link: HubLink, part: ShippedOutput) -> None:
        """Send a part of a tool output; one that the hub does not take waits."""
        answer = self._delivered(link, (), outputs=[part])
        is_refused = isinstance(answer, HubAnswer)
        if isinstance(answer, Receipt):
            self._parts.outputs.told([*answer.acked, *answer.expected])
            is_refused = part.local_id in answer.refused
        if isinstance(answer, HubAnswer):
            self._parts.say(f"The hub refuses {part.file.path}: {answer.detail}")
        self._parts.outputs.give_back(part, is_refused=is_refused)

    def _tell(self, link: HubLink) -> None:
        """Say how far the hub is where it cannot know, and from time to time that all is well."""
        if self._parts.queue.is_with_sender:
            return  # the hub would believe whichever came last
        report = self._parts.queue.report(())
        if report == self._told and monotonic() - self._told_at < _TELL_EVERY:
            return
        # Also where it fails: what is shipped next finds out why.
        self._told, self._told_at = report, monotonic()
        body = self._parts.envelopes.body((), self._parts.now(), report)
        answer = link.send(body) if body is not None else None
        if isinstance(answer, HubAnswer) and answer.status in _FINAL:
            self._wait(answer)

    def _gathered(self) -> tuple[list[int], list[Shipment]]:
        """Shipments of some sources, newest first, up to what one envelope holds."""
        taken: list[int] = []
        shipments: list[Shipment] = []
        size = lines = 0
        while size < _ENOUGH_BYTES and lines < _ENOUGH_LINES and not self._stop.is_set():
            found = self._parts.queue.take()
            if found is None:
                break
            taken.append(found[0].row.source_id)
            for one in self._parts.shipper.shipments(*found):
                shipments.append(one)
                size += sum(piece.ends - piece.begins for piece in one.pieces)
                lines += len(one.batch.lines)
                if size >= _ENOUGH_BYTES or lines >= _ENOUGH_LINES:
                    break
        return taken, shipments

    def _send(self, link: HubLink, shipments: Sequence[Shipment]) -> None:
        """Send shipments in order; those that cannot be taken together are halved."""
        answer = self._delivered(link, shipments)
        if isinstance(answer, Receipt):
            self._parts.queue.told([*answer.acked, *answer.expected])
            for id in answer.refused:
                self._parts.queue.set_aside(id)
            return
        if answer is None or self._stop.is_set() or self._has_failed.is_set():
            return
        smaller_ones = list(_smaller(shipments, answer))
        for some in smaller_ones:
            self._send(link, some)
        if not smaller_ones:
            source = shipments[0].batch.source
            self._parts.queue.set_aside(source.source_id)
            self._parts.say(f"The hub refuses {source.path}: {answer.detail}")

    def _delivered(
        self,
        link: HubLink,
        shipments: Sequence[Shipment],
        forgotten: Sequence[ShippedTombstone] = (),
        outputs: Sequence[ShippedOutput] = (),
    ) -> Receipt | HubAnswer | None:
        """A receipt, or why the hub refuses them; waits for as long as it does not answer."""
        while not self._stop.is_set():
            report = self._parts.queue.report(shipments)
            # Made for each try: it says what time it is here.
            body = self._parts.envelopes.body(
                shipments, self._parts.now(), report, forgotten, outputs
            )
            if body is None:
                return HubAnswer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            answer = link.send(body)
            if isinstance(answer, Receipt):
                self._failures = 0
                self._told, self._told_at = report, monotonic()
                return answer
            if answer.status in (413, 422):
                return answer
            if lesser := self._lesser(answer.takes):
                self._trouble = lesser
                break
            self._wait(answer)
            if answer.status == 0:
                break  # nobody knows whether it was taken: ask
        self._has_failed.set()
        return None

    def _wait(self, answer: HubAnswer) -> None:
        """Wait before the next try: up to twice as long each time, or as the hub says."""
        if answer.status in _FINAL:
            raise CollectorStopped(f"{_FINAL[HTTPStatus(answer.status)]} {answer.detail}".strip())
        self._failures += 1
        seconds = pause(self._failures, self._parts.longest_wait)
        if answer.retry_after is not None:
            seconds = min(answer.retry_after, self._parts.longest_wait) + seconds
        if self._failures in (2, 8):
            self._parts.say(f"The hub does not accept anything ({_reason(answer)}). Retrying.")
        self._stop.wait(seconds)


def _smaller(shipments: Sequence[Shipment], answer: HubAnswer) -> Iterator[list[Shipment]]:
    """Halves; of a single one, a form that the hub can take."""
    if len(shipments) > 1:
        half = len(shipments) // 2
        yield list(shipments[:half])
        yield list(shipments[half:])
        return
    less = smaller(shipments[0]) if answer.status == 413 else None
    if less is not None:
        yield [less]
    elif not shipments[0].refused:
        yield [bare(shipments[0])]


def _reason(answer: HubAnswer) -> str:
    return answer.detail or f"status {answer.status}"
