"""Documents for tests, made by hand: no transcript is read here."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from unspool.model.document import (
    Chunk,
    ChunkType,
    Metrics,
    SessionDocument,
    SessionInfo,
    SessionMetrics,
    Step,
    StepType,
    Subagent,
    ToolExecution,
    ToolState,
    TotalMetrics,
)
from unspool.show.spans import Line, plain
from unspool.show.text.layout import Frame

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z, a Thursday
PIPE = Frame(None, NOON)
SCREEN = Frame(80, NOON)


def at(minute: int, second: int = 0) -> str:
    return f"2026-01-01T10:{minute:02}:{second:02}.000Z"


def call(
    name: str = "Bash",
    result: Any = UNSET,
    *,
    id: str = "t1",
    state: ToolState = "ok",
    **input: Any,
) -> ToolExecution:
    answered: Raw | UnsetType = UNSET if result is UNSET else Raw(msgspec.json.encode(result))
    return ToolExecution(
        tool_use_id=id,
        name=name,
        input=Raw(msgspec.json.encode(input)),
        result=answered,
        state=state,
        duration_ms=4_200,
    )


def step(type: StepType, text: str = "", *, id: str = "", **more: Any) -> Step:
    tool = id if type in ("tool_call", "tool_result") else UNSET
    return Step(id=id or type, type=type, text=text, tool_use_id=tool, **more)


def chunk(type: ChunkType = "ai", text: str = "", *steps: Step, **more: Any) -> Chunk:
    said = UNSET if type == "ai" else text
    given = {"id": type, "start_time": at(2), "end_time": at(9), **more}
    return Chunk(type=type, text=said, steps=steps if type == "ai" else UNSET, **given)


def document(*chunks: Chunk, session: dict[str, Any] | None = None, **more: Any) -> SessionDocument:
    info = SessionInfo(**{"id": "3f2a1b9c-0000", "title": "Make it quick", **(session or {})})
    metrics = SessionMetrics(Metrics(), Metrics(), TotalMetrics())
    return SessionDocument(session=info, chunks=chunks, **{"metrics": metrics, **more})


def agent(id: str, **more: Any) -> Subagent:
    return Subagent(id=id, description=f"Look at {id}", **more)


def texts(lines: Any) -> list[str]:
    made: list[Line] = list(lines)
    return [plain(line) for line in made]
