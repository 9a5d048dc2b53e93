"""Small roots that surfaces have answered differently about, and the answer each should give."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from tests.e2e.surface_fields import Key
from tests.e2e.workspaces import Workspace
from tests.engine.roots import NOW, dated
from unspool.cli import config
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.quota import record_quota
from unspool.model.usage import Quota, QuotaWindow
from unspool.source.spool import append

START: Final = NOW  # when the builder's clock starts
MINUTE: Final = 60
HOUR: Final = 3_600
PROJECT: Final = "-repo"


def at(seconds: float) -> int:
    """That many seconds after the builder's clock starts, in milliseconds."""
    return START + int(seconds * 1_000)


def stamp(seconds: float) -> str:
    """The same as transcripts write it."""
    return iso(at(seconds)) or ""


class Files:
    """Writes what Claude Code, its hooks and the reader of a root would write."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.root, self.home = workspace.root, workspace.home

    def save(self, *made: Transcript, seconds: float | None = None) -> Path:
        """Write transcripts, last written when their clocks stand, or then; the last path."""
        for one in made:
            when = int(one.clock.next.timestamp() * 1_000) if seconds is None else at(seconds)
            path = dated(one.save(self.root), when)
        return path

    def write(self, place: str, data: bytes, seconds: float) -> Path:
        """Write bytes to a path below the projects."""
        path = self.root / "projects" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return dated(path, at(seconds))

    def hook(self, event: str, seconds: float, session: str = "s1", **data: Any) -> None:
        """Spool what a hook was given."""
        payload = {"hook_event_name": event, "session_id": session, "cwd": "/repo"}
        payload["transcript_path"] = str(self.root / "projects" / PROJECT / f"{session}.jsonl")
        told = {name: value for name, value in {**payload, **data}.items() if value is not None}
        append(self.home / "spool", [json.dumps(told).encode()], at(seconds))

    def log(
        self, event: str, seconds: float, session: str = "s1", project: str = PROJECT, **data: Any
    ) -> None:
        """Write a line of the event log that lies beside a session."""
        path = self.root / "hooks" / project / f"{session}.hooks.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"hook_event_name": event, "session_id": session, "cwd": "/repo", **data}
        line = {"eventType": event, "sessionId": session, "timestamp": stamp(seconds)}
        with path.open("a") as file:
            file.write(json.dumps({**line, "input": told}) + "\n")

    def register(self, session: str, status: str, seconds: float, **fields: Any) -> None:
        """Say in the registry what a live process does."""
        pid = os.getpid()
        moment = {"updatedAt": at(seconds), "statusUpdatedAt": at(seconds)}
        entry = {"pid": pid, "sessionId": session, "status": status, "cwd": "/repo", **moment}
        path = self.root / "sessions" / f"{pid}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**entry, **fields}))

    def quota(self, seconds: float, five_hour: tuple[float, float]) -> None:
        """Have a status line say how many percent are used, and after how long that is reset."""
        used, reset = five_hour
        quota = Quota(at(seconds), QuotaWindow(used, at(reset)), QuotaWindow(40, at(3 * 86_400)))
        record_quota(str(self.home), quota, "s1")

    def mark(self, session: str, project: str = PROJECT, **marks: Any) -> None:
        """Pin, hide or rename a session over HTTP."""
        self.workspace.index()
        with self.workspace.served() as site:
            path = f"/api/sessions/{quote(session)}?project={quote(project)}"
            answer = site.ask(path, "PATCH", json=marks)
        assert answer.status_code == 200, answer.text

    def forget(self, session: str) -> None:
        """Forget a session, which the index may have or not."""
        assert self.workspace.run("forget", session, "--yes") is not None

    def index(self) -> None:
        """Bring the index up to date, as it was at this point of the story."""
        self.workspace.index()

    def look(self, *paths: Path) -> None:
        """Let the writer take in what its watcher names, without a sweep."""
        with self.workspace.here():
            stores = open_stores()
            store = stores.writing()
            try:
                indexer = Indexer(store, stores.roots, config.prices(), spool=stores.spool)
                indexer.look(map(str, paths), self.workspace.now)
                indexer.lost([str(path) for path in paths if not path.exists()], self.workspace.now)
            finally:
                store.close()


Write: TypeAlias = Callable[[Files], object]
Right: TypeAlias = Mapping[str, Mapping[Key, Any]]


@dataclass(frozen=True, eq=False)
class Case:
    """A root, the moment it is asked about, and what is right."""

    name: str
    write: Write
    seconds: float
    right: Right
    index: bool
    bare: bool  # whether the files alone tell

    def workspace(self, place: Path) -> Workspace:
        """The root on disk, written as the case says."""
        made = Workspace(place / "claude", place / "unspool", at(self.seconds))
        self.write(Files(made))
        return made


CASES: Final[list[Case]] = []


def case(
    *,
    seconds: float = MINUTE,
    right: Mapping[str, Any] | None = None,
    index: bool = True,
    bare: bool = True,
) -> Callable[[Write], Write]:
    """Add a case to the table.

    `right` gives a field's value for session s1 of /repo, or by (project, session).
    """
    known = {field: _by_session(value) for field, value in (right or {}).items()}

    def added(write: Write) -> Write:
        name = write.__name__.replace("_", " ")
        CASES.append(Case(name, write, seconds, known, index, bare))
        return write

    return added


def _by_session(value: Any) -> Mapping[Key, Any]:
    is_mapping = isinstance(value, dict) and all(isinstance(key, tuple) for key in value)
    return value if is_mapping and value else {(PROJECT, "s1"): value}
