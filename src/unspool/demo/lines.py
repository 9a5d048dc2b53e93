"""One file's lines in the making: blocks, envelope, parent links, names, clock and bytes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

_LONGEST_SLUG = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def project_slug(cwd: str) -> str:
    """Name the project folder of a working directory."""
    raw = cwd.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= _LONGEST_SLUG:
        return name
    return f"{name[:_LONGEST_SLUG]}-{_base36(_hash31(units))}"


def _hash31(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return abs(value - (1 << 32) if value >= 1 << 31 else value)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"


_PLAIN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_ESCAPED = json.JSONEncoder(separators=(",", ":"))

Fields = dict[str, Any]
Content = str | Sequence[Any]

_ABSENT: Final[Any] = object()
ABSENT: Final[Any] = _ABSENT

NO_TOKENS: Final = {
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}
DEFAULT_USAGE: Final = {**NO_TOKENS, "input_tokens": 10, "output_tokens": 5}

STAMPED: Final = frozenset(
    {"queue-operation", "pr-link", "continued-in", "frame-link", "ended-by-model"}
)
NO_SESSION: Final = frozenset({"file-history-snapshot", "file-history-delta", "summary"})


class Clock:
    """A clock that moves one second per line read from it."""

    def __init__(self, start: str) -> None:
        self.next = moment(start)

    def tick(self) -> str:
        """Give the present moment and step one second on."""
        now, self.next = self.next, self.next + timedelta(seconds=1)
        return stamp(now)


def moment(iso: str) -> datetime:
    """Read an ISO time."""
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(UTC)


def stamp(at: datetime) -> str:
    """Write a time the way transcripts do, in milliseconds."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text_block(text: str) -> Fields:
    """Make a text block."""
    return {"type": "text", "text": text}


def thinking_block(text: str) -> Fields:
    """Make a thinking block."""
    return {"type": "thinking", "thinking": text, "signature": "c2lnbmVk"}


def tool_block(name: str, call_input: Any, call_id: str | None = None) -> Fields:
    """Make a tool_use block; without an id the transcript numbers it."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": call_input}
    return without_absent(block if call_id else {**block, "id": ABSENT})


def result_block(call_id: str, content: Any, *, failed: bool = False) -> Fields:
    """Make a tool_result block."""
    block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
    return {**block, "is_error": True} if failed else block


def usage_of(given: Any) -> Any:
    """Resolve a usage argument: None is the default, False leaves the key out."""
    if given is None:
        return dict(DEFAULT_USAGE)
    return ABSENT if given is False else given


def without_absent(fields: Mapping[str, Any]) -> Fields:
    """Drop every key whose value is ABSENT."""
    return {key: value for key, value in fields.items() if value is not ABSENT}


def encode(line: Mapping[str, Any]) -> bytes:
    """Write one line as compact JSON, lone surrogates kept as escapes."""
    try:
        return _PLAIN.encode(line).encode()
    except UnicodeEncodeError:
        return _ESCAPED.encode(line).encode()


Raw = bytes


class LineChain:
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
        self.clock = Clock(start)
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
        if kind not in NO_SESSION:
            line["sessionId"] = self.session
        if kind in STAMPED and "timestamp" not in fields:
            line["timestamp"] = self.clock.tick()
        self._keep(without_absent({**line, **fields}))
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
        self.clock.next = moment(iso)
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
            line if isinstance(line, Raw) else encode(line) + b"\n" for line in self._lines
        )

    def path_in(self, root: Path) -> Path:
        """Say where under a Claude root this file belongs."""
        project = root / "projects" / project_slug(self.cwd)
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
            path.with_suffix(".meta.json").write_bytes(encode(self._sidecar))
        return path

    def _link(self, kind: str, fields: Mapping[str, Any]) -> Self:
        uuid = fields.get("uuid") or self._next("u")
        line = {"parentUuid": self.leaf, **self._envelope, "type": kind, "uuid": uuid, **fields}
        if "timestamp" not in fields:
            line["timestamp"] = self.clock.tick()
        self._keep(without_absent(line))
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
