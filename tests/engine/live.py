"""A root in which sessions run: transcripts, registry, event logs and a spool as they grow."""

import json
import os
from pathlib import Path
from typing import Any, Self

from tests.engine.roots import NOW, PRICES, dated
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.board.board import LiveBoard
from unspool.engine.sessions.options import BoardOptions
from unspool.model.files import WatchEvent
from unspool.model.session import Board, BoardRow
from unspool.source.roots import find_roots
from unspool.source.spool import append
from unspool.source.watch import WatchScope

DEAD = 4_000_000  # more than any pid may be


def at(seconds: float) -> int:
    """That many seconds after the builder's clock starts, in milliseconds."""
    return NOW + int(seconds * 1_000)


class Live:
    """Writes as Claude Code and its hooks would, and shows the board of it."""

    def __init__(self, root: Path, **watching: Any) -> None:
        self.root = root
        (root / "projects").mkdir(parents=True, exist_ok=True)
        self.roots = find_roots([root], {}, root)
        self.spool = root / "spool"
        self.watching = BoardOptions(spool=str(self.spool), **watching)
        self.watched = WatchScope(self.roots, str(self.spool))
        self.touched: list[WatchEvent] = []
        self.kept: LiveBoard | None = None

    def wrote(self, made: Transcript, seconds: float = 0) -> Self:
        """Save a transcript, or what it has more by now."""
        return self._touch(dated(made.save(self.root), at(seconds)))

    def runs(self, session: str, status: str | None, seconds: float = 0, **fields: Any) -> Self:
        """Say in the registry what a process does; this one, unless another pid is given."""
        pid = fields.pop("pid", os.getpid())
        entry = {"pid": pid, "sessionId": session, "status": status, "cwd": "/repo"}
        entry |= {"updatedAt": at(seconds), "statusUpdatedAt": at(seconds), **fields}
        path = self.root / "sessions" / f"{pid}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(entry))
        return self._touch(path)

    def exits(self, pid: int | None = None) -> Self:
        """Take a process out of the registry."""
        path = self.root / "sessions" / f"{pid or os.getpid()}.json"
        path.unlink()
        return self._touch(path)

    def hook(self, event: str, seconds: float, session: str = "s1", **data: Any) -> Self:
        """Spool what a hook was told."""
        place = str(self.root / "projects" / "-repo" / f"{session}.jsonl")
        payload = {"hook_event_name": event, "session_id": session, "cwd": "/repo"}
        payload |= {"transcript_path": place, **data}
        append(self.spool, [json.dumps(payload).encode()], at(seconds))
        return self._touch(next(self.spool.glob("*.spool")))

    def logs(self, event: str, seconds: float, session: str = "s1", **data: Any) -> Self:
        """Write a line of the event log that lies beside a session."""
        path = self.root / "hooks" / "-repo" / f"{session}.hooks.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"hook_event_name": event, "session_id": session, **data}
        line = {"eventType": event, "sessionId": session, "timestamp": iso(at(seconds))}
        with path.open("a") as file:
            file.write(json.dumps({**line, "input": told}) + "\n")
        return self._touch(path)

    def board(self, seconds: float) -> Board:
        """Let the board take in what was written since it was last asked for."""
        if self.kept is None:
            self.kept = LiveBoard(self.roots, PRICES, self.watching, now=at(seconds))
        else:
            self.kept.look(self.touched, at(seconds))
        self.touched = []
        return self.kept.board(at(seconds))

    def row(self, seconds: float, session: str = "s1") -> BoardRow:
        """One session's row."""
        (row,) = [row for row in self.board(seconds).rows if row.session.id == session]
        return row

    def state(self, seconds: float) -> tuple[str, str]:
        """What the session does, and what proves it."""
        status = self.row(seconds).session.status
        return status.state, status.evidence

    def _touch(self, path: Path) -> Self:
        found = self.watched.file(str(path))
        assert found is not None
        gone = not path.exists()
        self.touched.append(
            WatchEvent(
                path=found.path,
                kind=found.kind,
                project_id=found.project_id,
                session_id=found.session_id,
                is_subagent=found.is_subagent,
                gone=gone,
            )
        )
        return self
