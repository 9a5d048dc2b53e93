"""The health of the index, its disk and its writer; what is unknown in transcripts."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final

from msgspec import Struct, structs

from unspool import __version__
from unspool.derive.oddities import OddityFold
from unspool.errors import UnspoolError
from unspool.model.files import Root, TailState, TranscriptFile
from unspool.model.health import Finding, Health, IndexStatus, Oddity
from unspool.source import tail
from unspool.source.session_files import transcript_files
from unspool.source.tail import split_lines
from unspool.store import Store

_INDEX_MS: Final = 1_000
_COUNT_MS: Final = 600_000  # all files are counted
_FINDINGS_MS: Final = 20_000
_CHECK_MS: Final = 6 * 3_600_000
_UNCHECKED: Final = "The index could not be checked."
_LOW_DISK: Final = 256 * 1024 * 1024


class HealthSources(Struct, frozen=True, kw_only=True):
    """Where health comes from: `index` and `findings` look at files, and are called seldom."""

    store: Store
    home: Path
    now: Callable[[], int]
    index: Callable[[], IndexStatus]
    findings: Callable[[], Sequence[Finding]] = tuple
    is_demo: bool = False
    is_shared: bool = False  # people read of it who may not see all that it is about


class StoredIndexStatus:
    """The status of an index that other machines fill: nobody here can say how far it is behind.

    What takes long to count is as of some time ago.
    """

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store, self._now = store, now
        self._counted: tuple[int, dict[str, Any]] | None = None

    def __call__(self) -> IndexStatus:
        """The status now."""
        now = self._now()
        if self._counted is None or not 0 <= now - self._counted[0] < _COUNT_MS:
            counts = structs.asdict(self._store.status())
            del counts["database"]
            self._counted = now, counts
        counts = {**self._counted[1], "seq": self._store.head()}
        return IndexStatus(home="", **counts)  # in no directory


class HealthMonitor:
    """Reads the index's status at most once a second, and checks all its pages every six hours."""

    def __init__(self, sources: HealthSources) -> None:
        self._sources = sources
        self._lock = Lock()
        self._index: tuple[int, IndexStatus] | None = None
        self._damage: list[str] | None = None
        self._checked_at: int | None = None
        self._checks: Thread | None = None
        self._findings_lock = Lock()
        self._findings: tuple[int, tuple[Finding, ...]] | None = None

    def index(self, within: int = _INDEX_MS) -> IndexStatus:
        """The status of the index, at most `within` milliseconds old."""
        with self._lock:
            now = self._sources.now()
            if self._index is None or not 0 <= now - self._index[0] < within:
                self._index = now, self._sources.index()
            return self._index[1]

    def findings(self) -> tuple[Finding, ...]:
        """What `unspool doctor` finds, at most 20 seconds old: it looks at every file."""
        with self._findings_lock:
            now = self._sources.now()
            if self._findings is None or not 0 <= now - self._findings[0] < _FINDINGS_MS:
                self._findings = now, tuple(self._sources.findings())
            return self._findings[1]

    def health(self) -> Health:
        """Whether all is well, and what is not."""
        index, free, damage = self.index(), self._free(), self._integrity()
        trouble = list(dict.fromkeys((*index.trouble, *(damage or ()))))
        if free is not None and free < _LOW_DISK:
            trouble.append(f"Only {free // 1024**2} MiB are free on the disk of the index.")
        behind = bool(index.lag.bytes)
        if behind and index.writer is None:
            trouble.append("No process keeps the index up to date.")
        return Health(
            status="trouble" if trouble else "behind" if behind else "ok",
            version=__version__,
            demo=self._sources.is_demo,
            seq=index.seq,
            sessions=index.sessions,
            lines=index.lines,
            bad_lines=index.bad_lines,
            forgotten=index.forgotten,
            lag_files=index.lag.files,
            lag_bytes=index.lag.bytes,
            writer_pid=index.writer.pid if index.writer else None,
            disk_free_bytes=free,
            integrity="unknown" if damage is None else "damaged" if damage else "ok",
            trouble=tuple(trouble),
        )

    def _free(self) -> int | None:
        try:
            return shutil.disk_usage(os.fspath(self._sources.home)).free
        except OSError:
            return None

    def _integrity(self) -> list[str] | None:
        """What the last check found. A check takes seconds: a thread does it."""
        with self._lock:
            now, at = self._sources.now(), self._checked_at
            if at is None or not 0 <= now - at < _CHECK_MS:
                self._checked_at = now
                self._checks = Thread(target=self._check, name="check", daemon=True)
                self._checks.start()
            return self._damage

    def _check(self) -> None:
        try:
            self._damage = self._sources.store.check()
        except UnspoolError as error:
            self._damage = [_UNCHECKED if self._sources.is_shared else str(error)]

    def close(self) -> None:
        """Wait at most a second for a running check."""
        if self._checks is not None:
            self._checks.join(1.0)


def scan_oddities(
    roots: Sequence[Root], progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Oddity]:
    """What this version does not know in the transcripts of some roots; reads every line."""
    files = [file for root in roots for file in transcript_files(root) if file.kind != "hook_log"]
    total, done = sum(file.size for file in files), 0
    fold = OddityFold()
    for file in sorted(files, key=lambda file: (file.mtime_ns, file.path)):
        _feed(file, fold)
        done += file.size
        progress(done, total)
    return fold.oddities()


def _feed(file: TranscriptFile, fold: OddityFold) -> None:
    fold.begin(file.path)
    state = TailState()
    try:
        while True:
            piece = tail.read(file.path, state)
            for _, line in split_lines(piece.data):
                fold.feed(line)
            for _ in piece.oversize:
                fold.feed(b"")  # counted, so that the lines after it keep their numbers
            if not piece.more or piece.state.offset == state.offset:
                return
            state = piece.state
    except UnspoolError:
        return  # deleted meanwhile, or not readable
