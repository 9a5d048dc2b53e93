"""Tool executions and rules, in few words."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw

from unspool.derive.alerts.rules import read_rules
from unspool.model.alerts import AlertRule
from unspool.model.document import ToolExecution, ToolState

START, END = "2026-11-01T10:00:00.000Z", "2026-11-01T10:00:05.000Z"
END_MS = 1_793_527_205_000


def rule(**fields: Any) -> AlertRule:
    """The one rule a table makes."""
    found, troubles = read_rules({"alerts": [fields]})
    assert not troubles
    return found[0]


def execution(
    tool: str = "Bash", state: ToolState = "ok", *, id: str = "t1", result: Any = "", **given: Any
) -> ToolExecution:
    """A call with its input; one that runs has neither end nor result."""
    ended = state not in ("running", "no_result")
    return ToolExecution(
        tool_use_id=id,
        name=tool,
        input=Raw(msgspec.json.encode(given)),
        result=Raw(msgspec.json.encode(result)) if ended else UNSET,
        state=state,
        start_time=START,
        end_time=END if ended else None,
    )
