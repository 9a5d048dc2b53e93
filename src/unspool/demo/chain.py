"""One file's lines in the making: envelope, parent links, names, clock and bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Self

from unspool.demo import lines
from unspool.demo.lines import ABSENT as _ABSENT
from unspool.demo.lines import Fields
from unspool.demo.slugs import slug_of

Raw = bytes


class Chain:
    """Lines that know their file, their parent and their time; each method returns the chain."""

    ABSENT: Final[Any] = _ABSENT

    def __init__(
        self,
        session: str = "s1",
        cwd: str = "/repo",
        *,
        agent: str | None = None,
        start: str = "2026-01-01T00:00:00.000Z",
        uuid_prefix: str = "",
        model: str = "claude-sonnet-4-6",
        **envelope: Any,
    ) -> None:
        self.session, self.cwd, self.agent, self.model = session, cwd, agent, model
        self.leaf: str | None = None
        self.clock = lines.Clock(start)
        self._prefix = uuid_prefix
        self._numbers: Counter[str] = Counter()
        self._lines: list[Fields | Raw] = []
        self._sidecar: Fields | None = None
        self._envelope: Fields = {
            "isSidechain": agent is not None,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": cwd,
            "sessionId": session,
            "version": "2.1.270",
            "gitBranch": envelope.pop("branch", "main"),
            "agentId": agent or self.ABSENT,
            **envelope,
        }

    def entry(self, kind: str, **fields: Any) -> Self:
        """Add a metadata line, which has no uuid and stands outside the chain."""
        line: Fields = {"type": kind}
        if kind not in lines.NO_SESSION:
            line["sessionId"] = self.session
        if kind in lines.STAMPED and "timestamp" not in fields:
            line["timestamp"] = self.clock.tick()
        self._keep(lines.without_absent({**line, **fields}))
        return self

    def raw(self, line: Raw, *, newline: bool = True) -> Self:
        """Add bytes exactly as given."""
        self._keep(line + b"\n" if newline else line)
        return self

    def wait(self, seconds: float) -> Self:
        """Let time pass before the next line."""
        self.clock.next += timedelta(seconds=seconds)
        return self

    def at(self, iso: str) -> Self:
        """Set the time of the next line."""
        self.clock.next = lines.moment(iso)
        return self

    def next_message(self) -> Self:
        """Leave one message id unused."""
        self._next("msg_")
        return self

    def meta(self, **fields: Any) -> Self:
        """Give an agent transcript its sidecar, written on save."""
        self._sidecar = fields
        return self

    def dicts(self) -> list[Fields]:
        """Return the lines as dicts, raw bytes left out."""
        return [line for line in self._lines if isinstance(line, dict)]

    def bytes(self) -> Raw:
        """Return the file's bytes."""
        return b"".join(
            line if isinstance(line, Raw) else lines.encode(line) + b"\n" for line in self._lines
        )

    def path_in(self, root: Path) -> Path:
        """Say where under a Claude root this file belongs."""
        project = root / "projects" / slug_of(self.cwd)
        if self.agent is None:
            return project / f"{self.session}.jsonl"
        return project / self.session / "subagents" / f"agent-{self.agent}.jsonl"

    def write(self, path: Path) -> Path:
        """Write the bytes to a path, making its folders."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path

    def save(self, root: Path) -> Path:
        """Write the file, and its sidecar, to its place under a Claude root."""
        path = self.write(self.path_in(root))
        if self._sidecar is not None:
            path.with_suffix(".meta.json").write_bytes(lines.encode(self._sidecar))
        return path

    def _link(self, kind: str, fields: Mapping[str, Any]) -> Self:
        uuid = fields.get("uuid") or self._next("u")
        line = {"parentUuid": self.leaf, **self._envelope, "type": kind, "uuid": uuid, **fields}
        if "timestamp" not in fields:
            line["timestamp"] = self.clock.tick()
        self._keep(lines.without_absent(line))
        if uuid is not self.ABSENT:
            self.leaf = uuid
        return self

    def _keep(self, line: Fields | Raw) -> None:
        self._lines.append(line)

    def _next(self, kind: str) -> str:
        self._numbers[kind] += 1
        return self._name(kind, self._numbers[kind])

    def _name(self, kind: str, number: int) -> str:
        return f"{self._prefix}u{number}" if kind == "u" else f"{kind}{self._prefix}{number}"
