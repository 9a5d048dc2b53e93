"""What is still to be shipped, newest activity first: local sources against the hub's states."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from threading import Lock

from unspool.hub.collector.plan import LocalSource, NextStretch, all_again, next_stretch
from unspool.model.rows import SourceRow
from unspool.model.shipping import MachineReport, Shipment, SourceState
from unspool.store import Store


class ShipQueue:
    """Sources that may have something to ship; a source is with one sender at a time.

    Nothing of it is kept: it is the difference between two sides, both of which can be asked.
    """

    def __init__(
        self,
        store: Store,
        may_ship: Callable[[SourceRow], bool],
        is_outdated: Callable[[SourceState], bool] = lambda _: False,
    ) -> None:
        self._store, self._may_ship, self._is_outdated = store, may_ship, is_outdated
        self._lock = Lock()
        self._states: dict[int, SourceState] = {}
        self._local: dict[int, LocalSource] = {}
        self._generations: dict[int, tuple[int, ...]] = {}
        self._waiting: set[int] = set()
        self._taken: set[int] = set()
        self._head = -1

    def compare(self, states: Iterable[SourceState]) -> None:
        """Begin with what the hub has, and all that is here."""
        with self._lock:
            self._states = {one.local_id: one for one in states}
            self._head = self._store.head()
            self._load_generations()
            self._local = {}
            for row in self._store.sources():
                self._put(row)
            self._waiting = set(self._local)

    def look(self) -> bool:
        """Note what has changed here since; whether anything has."""
        with self._lock:
            ids, head = set[int](), self._head
            while found := self._store.changes(after=head):
                ids |= {one.source_id for one in found if one.source_id}
                head = found[-1].seq
            if self._store.head() < self._head:
                ids |= {row.source_id for row in self._store.sources()}  # the index was rebuilt
                head = self._store.head()
            self._head = head
            if any(self._is_new_generation(id) for id in ids):
                self._load_generations()
            for id in ids:
                row = self._store.source(id)
                if row is not None:
                    self._put(row)
            self._waiting |= ids & set(self._local)
            return bool(ids)

    def take(self) -> tuple[LocalSource, NextStretch] | None:
        """The next source and where to go on; it is the caller's until `give_back`."""
        with self._lock:
            for id in sorted(self._waiting - self._taken, key=self._order, reverse=True):
                local = self._local[id]
                if not self._may_ship(local.row):
                    self._drop(id)
                    continue
                known = self._states.get(id)
                stretch = next_stretch(local, known, self._store)
                if known is not None and self._is_outdated(known):
                    stretch = all_again(local, known)
                if stretch is not None:
                    self._taken.add(id)
                    return local, stretch
                self._waiting.discard(id)
            return None

    def give_back(self, ids: Iterable[int]) -> None:
        """Sources that others may take again."""
        with self._lock:
            self._taken -= set(ids)

    def told(self, states: Iterable[SourceState]) -> None:
        """Note what the hub says that it has."""
        with self._lock:
            for one in states:
                self._states[one.local_id] = one

    def set_aside(self, id: int) -> None:
        """Let a source wait until the next comparison: the hub takes it in no form."""
        with self._lock:
            self._waiting.discard(id)

    @property
    def has_waiting(self) -> bool:
        """Whether there may be something to ship."""
        with self._lock:
            return bool(self._waiting)

    @property
    def is_with_sender(self) -> bool:
        """Whether some source is being sent."""
        with self._lock:
            return bool(self._taken)

    @property
    def is_compared(self) -> bool:
        """Whether the hub has said what it has."""
        return self._head >= 0

    def is_shipped(self, row: SourceRow) -> bool:
        """Whether the hub has some of a source that may leave."""
        with self._lock:
            return row.source_id in self._states and self._may_ship(row)

    def report(self, sent: Iterable[Shipment]) -> MachineReport:
        """How far the hub is behind once it has what is being sent."""
        places = {
            one.batch.source.source_id: (one.batch.source.generation, one.batch.source.offset)
            for one in sent
        }
        count, newest = 0, 0
        with self._lock:
            for id, local in self._local.items():
                generation, offset = places.get(id) or self._place(id)
                begin = offset if generation == local.row.generation else 0
                if local.row.offset > begin:
                    count += local.row.offset - begin
                    newest = max(newest, self._order(id)[0] // 1_000_000)
        return MachineReport(waiting_bytes=count, waiting_at=newest or None)

    def _place(self, id: int) -> tuple[int, int]:
        """The generation and the offset up to which the hub has a source as it should."""
        known = self._states.get(id)
        if known is None or self._is_outdated(known):
            return -1, 0
        return known.generation, known.offset

    def _order(self, id: int) -> tuple[int, int]:
        row = self._local[id].row
        return row.mtime_ns or row.tail.mtime_ns, id

    def _put(self, row: SourceRow) -> None:
        generations = self._generations.get(row.source_id, ())
        if generations and self._may_ship(row):
            self._local[row.source_id] = LocalSource(row, generations)
        else:
            self._drop(row.source_id)

    def _drop(self, id: int) -> None:
        self._local.pop(id, None)
        self._waiting.discard(id)

    def _is_new_generation(self, id: int) -> bool:
        row = self._store.source(id)
        return row is not None and row.generation not in self._generations.get(id, ())

    def _load_generations(self) -> None:
        found = defaultdict[int, list[int]](list)
        for row in self._store.generations():
            found[row.source_id].append(row.generation)
        self._generations = {id: tuple(sorted(some)) for id, some in found.items()}
