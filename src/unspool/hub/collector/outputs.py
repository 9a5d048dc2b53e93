"""Long tool outputs that the hub lacks, a stretch at a time."""

from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic
from typing import Final

from unspool.engine.ids import source_id
from unspool.model.files import OutputFile
from unspool.model.shipping import WITH_BYTES, ShipMode, ShippedOutput, ShippedPiece, SourceState
from unspool.redact.cover import covered_text
from unspool.store import Store
from unspool.store.pack import packed

_STRETCH: Final = 512 * 1024
_LIST_EVERY: Final = 10.0  # seconds


class OutputQueue:
    """What there is against the hub's states; an output is with one sender at a time.

    An output that was written again has another time: the hub begins it again.
    """

    def __init__(
        self,
        store: Store,
        mode: ShipMode,
        may_ship: Callable[[OutputFile], bool],
        is_outdated: Callable[[SourceState], bool] = lambda _: False,
    ) -> None:
        self._store, self._may_ship, self._is_outdated = store, may_ship, is_outdated
        self._has_any, self._is_redacted = mode in WITH_BYTES, mode == "redacted"
        self._lock = Lock()
        self._states: dict[int, SourceState] = {}
        self._files: dict[int, OutputFile] = {}
        self._taken: set[int] = set()
        self._refused: set[OutputFile] = set()
        self._listed_at = 0.0
        self._last: tuple[OutputFile, bytes] | None = None

    def compare(self, states: Iterable[SourceState]) -> None:
        """Begin with what the hub has, and all that is here."""
        with self._lock:
            self._states = {one.local_id: one for one in states}
            self._refused = set()
            self._list()

    def look(self) -> None:
        """List them again, now and then."""
        with self._lock:
            if monotonic() - self._listed_at >= _LIST_EVERY:
                self._list()

    def _list(self) -> None:
        self._listed_at = monotonic()
        found = self._store.outputs() if self._has_any else []
        self._files = {source_id(one.root, one.path): one for one in found if self._may_ship(one)}

    def take(self) -> ShippedOutput | None:
        """The next stretch of an output; its id is to be given back."""
        with self._lock:
            for id, file in self._files.items():
                if id in self._taken or file in self._refused or not self._may_ship(file):
                    continue
                begins = self._begins(id, file)
                if begins is None:
                    continue
                data = self._data(file)
                if data is not None and (begins < len(data) or begins == 0):
                    self._taken.add(id)
                    return _stretch(id, file, begins, data)
            return None

    def _begins(self, id: int, file: OutputFile) -> int | None:
        """Where to go on; None where the hub has all of it."""
        known = self._states.get(id)
        if known is None or known.generation != file.mtime_ns or self._is_outdated(known):
            return 0
        return known.offset if known.offset < file.size else None

    def _data(self, file: OutputFile) -> bytes | None:
        if self._last is None or self._last[0] != file:
            data = self._store.output(file.root, file.path)
            if data is None:
                return None
            self._last = file, covered_text(data) if self._is_redacted else data
        return self._last[1]

    def told(self, states: Iterable[SourceState]) -> None:
        """Note what the hub says that it has."""
        with self._lock:
            self._states |= {one.local_id: one for one in states}

    def give_back(self, one: ShippedOutput, *, is_refused: bool = False) -> None:
        """Let it be taken again; one that the hub refuses waits for the next comparison."""
        with self._lock:
            self._taken.discard(one.local_id)
            if is_refused:
                self._refused.add(one.file)


def _stretch(id: int, file: OutputFile, begins: int, data: bytes) -> ShippedOutput:
    part = data[begins : begins + _STRETCH]
    made = packed(0, 0, begins, part)
    pieces = [ShippedPiece(begins, made.end, made.checksum, made.packed)] if part else []
    return ShippedOutput(local_id=id, file=file, begins=begins, pieces=pieces)
