"""Sessions for the tests of the page: documents made by hand, read as a page reads them."""

from msgspec import structs

from tests.show.made import NOON, agent, at, call, chunk, document, step
from unspool.model.document import (
    Chunk,
    Metrics,
    PendingTool,
    SessionDocument,
    Status,
    Step,
    ToolExecution,
    Turn,
)
from unspool.show.html.render_context import ReaderOptions, RenderContext, render_context
from unspool.show.html.step_items import step_items
from unspool.show.html.step_types import StepItem

READER = ReaderOptions(now=NOON)


def shown(*steps: Step, calls: tuple[ToolExecution, ...] = ()) -> tuple[StepItem, ...]:
    return step_items(steps, seen(calls=calls))


def seen(*chunks: Chunk, calls: tuple[ToolExecution, ...] = ()) -> RenderContext:
    return render_context(document(*chunks, tool_executions=calls), READER)


def waiting() -> SessionDocument:
    """Two turns: an agent and a failure in the first, a question to the reader in the second."""
    bad = call("Bash", "Exit code 1\nboom", id="bad", state="error", command="make")
    tools = (
        structs.replace(bad, chunk_id="a1"),
        call("Bash", id="now", state="running", command="rm -rf build"),
    )
    first = chunk("ai", "", step("tool_call", id="bad"), _agent(), id="a1", turn=1)
    second = chunk("ai", "", step("tool_call", id="now"), id="a2", turn=2)
    info = {
        "project_id": "p",
        "status": Status("waiting_for_approval", at(50), "hook"),
        "pending_tool": PendingTool("now", "Bash", "rm -rf build", at(50)),
    }
    turns = tuple(
        Turn(index=n, prompt=f"Prompt {n}", metrics=Metrics(cost_usd=n / 2)) for n in (1, 2)
    )
    return document(
        chunk("user", "Prompt 1", id="u1", turn=1),
        first,
        chunk("user", "Prompt 2", id="u2", turn=2),
        second,
        session=info,
        tool_executions=tools,
        subagents=(agent("x", parent_task_id="spawn"), agent("y", parent_agent_id="x")),
        turns=turns,
    )


def _agent() -> Step:
    return Step(id="x", type="subagent", agent_id="x")
