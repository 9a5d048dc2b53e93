"""Files of a session that is told: its transcripts, hook events and entry in the registry."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.tools import HookLogWriter
from unspool.demo.generator.truth import PriceList
from unspool.demo.lines import Fields, project_slug
from unspool.demo.script.steps import HERE
from unspool.demo.transcript import Transcript

VERSION = "2.1.325"
_STEP = timedelta(milliseconds=20)
_DAY = re.compile(r"\$DAY-(\d+)")  # so many days before the session


class Stage:
    """Where stories are told: the root, the prices and a number that their ids depend on."""

    def __init__(self, root: Path, prices: Mapping[str, Any], seed: int = 1) -> None:
        self.root, self.prices, self.seed = root, PriceList(prices), seed


class Names:
    """Ids made from a name: the same for the same story, other for any other."""

    def __init__(self, name: str) -> None:
        self._name, self._count = name, 0

    def hex(self, length: int) -> str:
        """So many digits that nobody else has."""
        self._count += 1
        return sha256(f"{self._name}/{self._count}".encode()).hexdigest()[:length]

    def uuid(self) -> str:
        """A UUID."""
        text = self.hex(32)
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def next(self, kind: str) -> str:
        """The next id of a kind that a transcript asks for."""
        return self.uuid() if kind in ("u", "synthetic_") else f"{kind}01{self.hex(22)}"


class StoryClock(lines.Clock):
    """A clock that stands at the moment that is told; its lines are milliseconds apart."""

    def tick(self) -> str:
        """Give the present moment."""
        now, self.next = self.next, self.next + _STEP
        return lines.stamp(now)


class StoryTranscript(Transcript):
    """One transcript file, written whenever it is flushed."""

    def __init__(self, stage: Stage, names: Names, session: str, cwd: str, **options: Any) -> None:
        super().__init__(session, cwd, version=VERSION, **options)
        self.clock = StoryClock("2026-01-01T00:00:00Z")
        self.path = self.path_in(stage.root)
        self.day = self.clock.next.date()
        self._names, self._is_new = names, True

    def flush(self) -> None:
        """Append what was added since the last time."""
        if not self._lines:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        data = placed(self.bytes().decode(), self.cwd, self.day).encode()
        self._lines.clear()
        with self.path.open("wb" if self._is_new else "ab", buffering=0) as file:
            file.write(data)
        self._is_new = False
        if self._sidecar is not None:
            self.path.with_suffix(".meta.json").write_bytes(lines.encode(self._sidecar))
            self._sidecar = None

    def close(self) -> None:
        """Flush, and date the file by its last line."""
        self.flush()
        moment = int(self.clock.next.timestamp() * 1_000_000_000)
        os.utime(self.path, ns=(moment, moment))

    def _next(self, kind: str) -> str:
        return self._names.next(kind)


class StoryHookLog(HookLogWriter):
    """Hook events of a session; each can be read as soon as it is written."""

    def __init__(self, stage: Stage, session: str, cwd: str, day: date) -> None:
        path = stage.root / "hooks" / project_slug(cwd) / f"{session}.hooks.jsonl"
        super().__init__(path, session, cwd, VERSION)
        self._cwd, self._day = cwd, day

    def _write(self, at: datetime, event: str, asked: Fields, **fields: Any) -> None:
        plain = json.loads(placed(json.dumps(asked), self._cwd, self._day))
        super()._write(at, event, plain, **fields)
        self._file.flush()


class StoryRegistry:
    """The entry that a running process has under its number."""

    def __init__(self, root: Path, pid: int) -> None:
        self._path, self._pid = root / "sessions" / f"{pid}.json", pid

    def write(self, session: str, cwd: str, began: datetime, at: datetime, **status: str) -> None:
        """Say how the session stands: idle, busy or waiting."""
        millis = int(at.timestamp() * 1_000)
        entry: Fields = {"pid": self._pid, "sessionId": session, "cwd": cwd}
        entry |= {"startedAt": int(began.timestamp() * 1_000), "version": VERSION}
        entry |= {"kind": "interactive", "entrypoint": "cli"}
        entry |= {"updatedAt": millis, "statusUpdatedAt": millis, **status}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_bytes(lines.encode(entry))
        os.replace(new, self._path)

    def remove(self) -> None:
        """The process has ended."""
        self._path.unlink(missing_ok=True)


def placed(text: str, cwd: str, day: date) -> str:
    """Put the working directory, and days that a story counts back, into its text."""
    text = text.replace(HERE, cwd)
    return _DAY.sub(lambda found: str(day - timedelta(days=int(found[1]))), text)
