"""Agent, Task, SendMessage and their like: what was asked, of whom, and what came back."""

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, block, said, text


def summary(input: Fields, result: object) -> str:
    """What it was asked to do."""
    names = ("description", "summary", "subject", "message", "content", "prompt", "workflowName")
    return safe.brief(text(input, *names, "name", "task_id", "agentId", "agent_id", "team_name"))


def facts(input: Fields, result: object) -> str:
    """Which kind of agent, or who it was sent to."""
    kind = text(input, "subagent_type")
    to = text(input, "recipient", "to", "name")
    return safe.brief(kind or (f"to {to}" if to else ""), 60)


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first lines of the answer."""
    return block(said(result), 4)
