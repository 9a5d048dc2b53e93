"""Small files beside the transcripts -> Structs; None or [] if they cannot be decoded."""

from unspool.decode.lenient import read_as
from unspool.model.sidecars import (
    AgentMeta,
    HistoryLine,
    JobState,
    RegistryEntry,
    Task,
    Todo,
)


def agent_meta(data: bytes) -> AgentMeta | None:
    """Read `agent-<id>.meta.json`."""
    return read_as(AgentMeta, data)


def registry_entry(data: bytes) -> RegistryEntry | None:
    """Read `sessions/<pid>.json`."""
    return read_as(RegistryEntry, data)


def history_line(line: bytes) -> HistoryLine | None:
    """Read one line of `history.jsonl`."""
    return read_as(HistoryLine, line)


def job_state(data: bytes) -> JobState | None:
    """Read `jobs/<id>/state.json`."""
    return read_as(JobState, data)


def todos(data: bytes) -> list[Todo]:
    """Read a list of todos."""
    return read_as(list[Todo], data) or []


def tasks(data: bytes) -> list[Task]:
    """Read a list of tasks, or the one that has a file to itself."""
    return read_as(list[Task], data) or []
