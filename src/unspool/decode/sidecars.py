"""Small files beside the transcripts -> what they say; nothing where they say nothing."""

from unspool.decode.lenient import read
from unspool.model.sidecars import (
    AgentMeta,
    HistoryLine,
    RegistryEntry,
    Task,
    Todo,
)


def agent_meta(data: bytes) -> AgentMeta | None:
    """Read `agent-<id>.meta.json`."""
    return read(AgentMeta, data)


def registry_entry(data: bytes) -> RegistryEntry | None:
    """Read `sessions/<pid>.json`."""
    return read(RegistryEntry, data)


def history_line(line: bytes) -> HistoryLine | None:
    """Read one line of `history.jsonl`."""
    return read(HistoryLine, line)


def todos(data: bytes) -> list[Todo]:
    """Read a list of todos."""
    return read(list[Todo], data) or []


def tasks(data: bytes) -> list[Task]:
    """Read a list of tasks, or the one that has a file to itself."""
    return read(list[Task], data) or []
