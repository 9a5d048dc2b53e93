"""The root being generated: its transcript files, words, truth, and the files sessions share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.truth import PriceList, Truth, TruthLedger
from unspool.demo.generator.words import Ids, TextSource
from unspool.demo.lines import Clock, Fields, encode
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
        """Skip past midnight if it is less than this many seconds away."""
        now = self.next
        left = _DAY - (now.hour * 3600 + now.minute * 60 + now.second)
        if left <= seconds:
            self.next = now + timedelta(seconds=left + 1)


class TranscriptWriter(Transcript):
    """One transcript file, open for writing."""

    def __init__(self, path: Path, rng: Random, ids: Ids, **options: Any) -> None:
        super().__init__(**options)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.clock: UnevenClock = UnevenClock(lines.stamp(self.clock.next), rng)
        self.size = self.line_count = 0
        self.history: list[Fields] | None = None
        self._ids = ids
        self._held: list[bytes] | None = None
        self._file = path.open("wb", buffering=1 << 16)

    @contextmanager
    def held(self) -> Iterator[list[bytes]]:
        """Hold back the lines added meanwhile, for a scenario that damages them."""
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
            if self.history is not None:
                self.history.append(line)
            line = lines.encode(line) + b"\n"
        if self._held is not None:
            self._held.append(line)
            return
        self.size += len(line)
        self.line_count += bool(line.strip())
        self._file.write(line)

    def _next(self, kind: str) -> str:
        return self._ids.uuid() if kind in ("u", "synthetic_") else self._ids.named(kind)


class RootBuilder:
    """One Claude root under construction."""

    def __init__(self, directory: Path, seed: int, prices: Mapping[str, Any]) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "projects").mkdir()
        self.directory = directory
        self.rng = Random(seed)
        self.ids = Ids(self.rng)
        self.words = TextSource(self.rng)
        self.ledger = TruthLedger(directory / "truth.json", PriceList(prices))
        self.size = 0
        self._history = (directory / "history.jsonl").open("wb")

    def writer(self, path: Path, **options: Any) -> TranscriptWriter:
        """Open a transcript file."""
        return TranscriptWriter(path, self.rng, self.ids, **options)

    def finish(self, writer: TranscriptWriter) -> None:
        """Close a transcript file and count it."""
        writer.close()
        self.size += writer.size
        self.ledger.counts["files"] += 1
        self.ledger.counts["bytes"] += writer.size
        self.ledger.counts["lines"] += writer.line_count

    def remember(self, prompt: str, milliseconds: int, cwd: str, session: str) -> None:
        """Add a prompt to the history all sessions share."""
        line = {"display": prompt, "pastedContents": {}, "timestamp": milliseconds}
        self._history.write(encode({**line, "project": cwd, "sessionId": session}) + b"\n")

    def put(self, path: str, content: str | Fields | list[Any]) -> Path:
        """Write one small file below the root."""
        target = self.directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        target.write_text(text, encoding="utf-8", newline="\n")
        return target

    def close(self) -> Truth:
        """Finish the root."""
        self._history.close()
        return self.ledger.finish()
