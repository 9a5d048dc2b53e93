"""A transcript that goes to disk line by line, so that a large one needs no memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.ids import Ids
from unspool.demo.lines import Clock, Fields
from unspool.demo.transcript import Transcript

_DAY = 86_400


class UnevenClock(Clock):
    """A clock that moves on by chance, as real lines do."""

    def __init__(self, start: str, rng: Random) -> None:
        super().__init__(start)
        self._rng = rng

    def tick(self) -> str:
        """Give the present moment and step on by some milliseconds."""
        now, step = self.next, self._rng.randint(40, 1_400)
        self.next = now + timedelta(milliseconds=step)
        return lines.stamp(now)

    def stay_within_day(self, seconds: int) -> None:
        """Pass midnight now if it would come within so many seconds."""
        now = self.next
        left = _DAY - (now.hour * 3600 + now.minute * 60 + now.second)
        if left <= seconds:
            self.next = now + timedelta(seconds=left + 1)


class Reel(Transcript):
    """One transcript file, open for writing."""

    def __init__(self, path: Path, rng: Random, ids: Ids, **options: Any) -> None:
        super().__init__(**options)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.clock: UnevenClock = UnevenClock(lines.stamp(self.clock.next), rng)
        self.size = self.line_count = 0
        self.tape: list[Fields] | None = None
        self._ids = ids
        self._held: list[bytes] | None = None
        self._file = path.open("wb", buffering=1 << 16)

    @contextmanager
    def held(self) -> Iterator[list[bytes]]:
        """Keep the lines added meanwhile off the file, for a scene that breaks them."""
        self._held = []
        try:
            yield self._held
        finally:
            self._held = None

    def copy(self, line: Fields) -> None:
        """Add a line of another file, its links untouched."""
        self._keep(line)
        self.leaf = line.get("uuid", self.leaf)

    def set(self, **envelope: Any) -> None:
        """Change what every later line carries."""
        self._envelope.update(envelope)

    def close(self) -> None:
        """Finish the file and date it by its last line."""
        self._file.close()
        moment = int(self.clock.next.timestamp() * 1_000_000_000)
        os.utime(self.path, ns=(moment, moment))

    def _keep(self, line: Fields | bytes) -> None:
        if isinstance(line, dict):
            if self.tape is not None:
                self.tape.append(line)
            line = lines.encode(line) + b"\n"
        if self._held is not None:
            self._held.append(line)
            return
        self.size += len(line)
        self.line_count += bool(line.strip())
        self._file.write(line)

    def _next(self, kind: str) -> str:
        return self._ids.uuid() if kind in ("u", "synthetic_") else self._ids.named(kind)
