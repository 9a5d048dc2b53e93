"""The health of the index, its disk and its writer."""

import os
import shutil
from threading import Lock, Thread
from typing import Final

from unspool import __version__
from unspool.errors import UnspoolError
from unspool.model.health import Finding, IndexStatus
from unspool.serve.answers import Health
from unspool.serve.desks.around import Around

_INDEX_MS: Final = 1_000
_LOOK_MS: Final = 20_000
_CHECK_MS: Final = 6 * 3_600_000
_LITTLE: Final = 256 * 1024 * 1024


class Checkup:
    """Looks at the index at most once a second, and at all of its pages a few times a day."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._index: tuple[int, IndexStatus] | None = None
        self._wrong: list[str] | None = None
        self._checked_at: int | None = None
        self._checks: Thread | None = None
        self._looking = Lock()
        self._findings: tuple[int, tuple[Finding, ...]] | None = None

    def index(self, within: int = _INDEX_MS) -> IndexStatus:
        """How the index stands, as of a second ago, or of so many milliseconds."""
        with self._lock:
            now = self._around.now()
            if self._index is None or not 0 <= now - self._index[0] < within:
                self._index = now, self._around.index()
            return self._index[1]

    def findings(self) -> tuple[Finding, ...]:
        """What the doctor says, as of a moment ago: it looks at every file there is."""
        with self._looking:
            now = self._around.now()
            if self._findings is None or not 0 <= now - self._findings[0] < _LOOK_MS:
                self._findings = now, tuple(self._around.checks())
            return self._findings[1]

    def health(self) -> Health:
        """The truth, as far as it is known."""
        index, free, wrong = self.index(), self._free(), self._integrity()
        trouble = list(dict.fromkeys((*index.trouble, *(wrong or ()))))
        if free is not None and free < _LITTLE:
            trouble.append(f"Only {free // 1024**2} MiB are free where the index lies.")
        behind = bool(index.lag.bytes)
        if behind and index.writer is None:
            trouble.append("Nobody keeps the index up to date.")
        return Health(
            status="trouble" if trouble else "behind" if behind else "ok",
            version=__version__,
            demo=bool(self._around.demo),
            seq=index.seq,
            sessions=index.sessions,
            lines=index.lines,
            bad_lines=index.bad_lines,
            lag_files=index.lag.files,
            lag_bytes=index.lag.bytes,
            writer_pid=index.writer.pid if index.writer else None,
            disk_free_bytes=free,
            integrity="unknown" if wrong is None else "damaged" if wrong else "ok",
            trouble=tuple(trouble),
        )

    def _free(self) -> int | None:
        try:
            return shutil.disk_usage(os.fspath(self._around.home)).free
        except OSError:
            return None

    def _integrity(self) -> list[str] | None:
        """What the last check found. A check takes seconds: the first request starts it."""
        with self._lock:
            now, at = self._around.now(), self._checked_at
            if at is None or not 0 <= now - at < _CHECK_MS:
                self._checked_at = now
                self._checks = Thread(target=self._check, name="check", daemon=True)
                self._checks.start()
            return self._wrong

    def _check(self) -> None:
        try:
            self._wrong = self._around.store.check()
        except UnspoolError as error:
            self._wrong = [str(error)]

    def close(self) -> None:
        """Wait for a check that runs, a little."""
        if self._checks is not None:
            self._checks.join(1.0)
