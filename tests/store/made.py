"""Batches in the making: one made-up source at a time, line by line, as an ingest would give it."""

from __future__ import annotations

from typing import Any, Final, Self

from msgspec.structs import replace

from unspool.model.files import FileKind
from unspool.model.rows import (
    AgentRow,
    BadLine,
    Batch,
    CallRow,
    CauseRow,
    HookRow,
    OddityRow,
    ResultRow,
    SessionRow,
    SourceRow,
    StoredLine,
    TextKind,
    TextRow,
    TouchedFile,
)
from unspool.model.usage import Tokens, UsageRow

START: Final = 1_760_000_000_000
LENGTH: Final = 99  # of every line, without its newline

ROWS: Final = (
    "lines", "texts", "usage", "calls", "results", "files", "causes", "bad", "hooks", "oddities",
)  # fmt: skip


class Source:
    """One file that grows; `batch()` gives what was added since the last one."""

    def __init__(
        self,
        source_id: int = 1,
        session: str = "s1",
        *,
        project: str = "-repo",
        kind: FileKind = "main",
        agent: str = "",
        at: int = START,
    ) -> None:
        self.at = at
        self.row = SourceRow(
            source_id=source_id,
            root="/claude",
            path=f"projects/{project}/{session}-{source_id}.jsonl",
            kind=kind,
            project_id=project,
            session_id=session,
            agent_id=agent,
        )
        self._clear()

    def _clear(self) -> None:
        self._begins = self.row.offset
        self._rows: dict[str, list[Any]] = {name: [] for name in ROWS}
        self._sessions: list[SessionRow] = []
        self._facts = b""

    @property
    def last(self) -> int:
        """The id of the last line."""
        line_id: int = self._rows["lines"][-1].line_id
        return line_id

    def line(self, text: str = "", kind: TextKind = "prompt", **fields: Any) -> Self:
        """Add a line, one second later than the one before."""
        self.at += 1000
        offset, number = self.row.offset, self.row.lines + 1
        line_id = self.at << 22 | self.row.source_id * 1000 + number
        known = {"event_type": "user_prompt", "timestamp": self.at, "text_kind": kind, **fields}
        self._rows["lines"].append(StoredLine(line_id, offset, LENGTH, number, "user", **known))
        if text:
            self._rows["texts"].append(TextRow(line_id, text))
        self.row = replace(self.row, offset=offset + LENGTH + 1, lines=number)
        return self

    def bad(self, reason: str = "damaged") -> Self:
        """Add a line nobody can read."""
        offset, number = self.row.offset, self.row.lines + 1
        self._rows["bad"].append(BadLine(offset, LENGTH, number, reason))
        self.row = replace(self.row, offset=offset + LENGTH + 1, lines=number)
        return self

    def spends(self, key: str = "m:1", output: int = 5, **fields: Any) -> Self:
        """Say what a response used, in the last line."""
        self._rows["usage"].append(usage(key, output, self.last, **{"at": self.at, **fields}))
        return self

    def uses(self, row: UsageRow) -> Self:
        """Say this of a response."""
        self._rows["usage"].append(row)
        return self

    def calls(self, name: str = "Bash", id: str = "toolu_1", agent: str = "") -> Self:
        """Call a tool in the last line."""
        self._rows["calls"].append(CallRow(id, name, self.last, self.at, agent))
        return self

    def answers(self, id: str = "toolu_1", state: str = "ok", at: int | None = None) -> Self:
        """Let a tool answer in the last line."""
        end = self.at if at is None else at
        self._rows["results"].append(ResultRow(id, self.last, end, state, state == "error"))
        return self

    def attributes(self, **cause: Any) -> Self:
        """Say in the last line what was the cause of it."""
        self._rows["causes"].append(CauseRow(self.last, **cause))
        return self

    def touches(self, path: str, tool: str = "Edit") -> Self:
        """Change a file in the last line."""
        self._rows["files"].append(TouchedFile(path, tool, self.last))
        return self

    def hooks(self, event: str = "pre_tool_use", id: str = "h1", **fields: Any) -> Self:
        """Tell of a hook in the last line."""
        known = {"tool_use_id": "toolu_1", "tool_name": "Bash", "decision": "allow", **fields}
        row = HookRow(
            event_id=id,
            timestamp=self.at,
            event_type=event,
            handler_results="{}",
            agent_id="",
            source="log",
            line_id=self.last,
            **{"input": '{"command":"ls"}', "duration_ms": 5.0, "key": f"={id}", **known},
        )
        self._rows["hooks"].append(row)
        return self

    def wonders(self, name: str = "new-type") -> Self:
        """Hold something unknown in the last line."""
        self._rows["oddities"].append(OddityRow("2.1.0", "type", name, 1, self.last))
        return self

    def tells(self, **fields: Any) -> Self:
        """Say something about the session."""
        names = {"session_id": self.row.session_id, "project_id": self.row.project_id}
        known: dict[str, Any] = {**names, "last_activity": self.at, **fields}
        self._sessions.append(SessionRow(**known))
        return self

    def knows(self, facts: bytes) -> Self:
        """Keep facts for the links between agents."""
        self._facts = facts
        return self

    def batch(self, **fields: Any) -> Batch:
        """What was added since the last batch."""
        made = Batch(source=self.row, begins=self._begins, sessions=self._sessions)
        made = replace(made, facts=self._facts)
        made = replace(made, **self._rows, **fields)
        self._clear()
        return made

    def provisional(self) -> Batch:
        """What was added, as an unfinished last line that does not move the checkpoint."""
        added = len(self._rows["lines"]) + len(self._rows["bad"])
        self.row = replace(self.row, offset=self._begins, lines=self.row.lines - added)
        return self.batch(is_provisional=True)

    def restart(self) -> Self:
        """Begin the file anew, as another generation."""
        generation = self.row.generation + 1
        self.row = replace(self.row, generation=generation, offset=0, lines=0)
        self._clear()
        return self


_TOKENS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_tokens": "cache_read",
    "cache_creation_tokens": "cache_write",
    "cache_creation_5m": "write_5m",
    "cache_creation_1h": "write_1h",
    "web_searches": "web_searches",
    "speed": "speed",
    "geo": "geo",
}
UNPRICED: Final = "nowhere"  # the region where nothing has a price


def price(row: UsageRow) -> int | None:
    """A thousand picodollars, whatever it is."""
    return None if row.tokens.geo == UNPRICED else 1000


def usage(
    key: str, output: int, line_id: int = 0, *, at: int | None = START, **fields: Any
) -> UsageRow:
    """What a line says about a response; counts by the names of the view's columns."""
    counts = {new: fields.pop(old) for old, new in _TOKENS.items() if old in fields}
    tokens = {"input": 3, "cache_read": 100, "cache_write": 20, "write_5m": 20, **counts}
    known: dict[str, Any] = {
        "rank": output.to_bytes(8, "big"),
        "claim": (at or 0).to_bytes(8, "big"),
        "timestamp": at,
        "is_finished": True,
        "model": "claude-opus-4-6",
        "tokens": Tokens(output=output, **tokens),
        "agent_id": "",
    }
    return UsageRow(message_key=key, line_id=line_id, **{**known, **fields})


def agent(id: str, **fields: Any) -> AgentRow:
    """An agent of a session."""
    known: dict[str, Any] = {
        "parent_agent_id": "",
        "tool_use_id": "toolu_1",
        "depth": 1,
        "proof": "meta",
        "type": "Explore",
        "description": "look",
        "start_time": START,
        "end_time": None,
    }
    return AgentRow(agent_id=id, **{**known, **fields})
