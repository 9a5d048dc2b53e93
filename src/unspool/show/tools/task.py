"""Agent, Task, SendMessage and similar tools: the prompt, the recipient, the answer."""

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder, pairs
from unspool.show.tools.values import Fields, excerpt, result_text, text

_NAMES = (
    "description", "summary", "subject", "message", "content", "prompt", "workflowName",
    "name", "task_id", "agentId", "agent_id", "team_name",
)  # fmt: skip
_OPTIONS = ("subagent_type", "model", "isolation", "recipient", "to", "team_name", "skill", "args")


def summary(input: Fields, result: object) -> str:
    """The task."""
    return safe.brief(text(input, *_NAMES))


def facts(input: Fields, result: object) -> str:
    """The type of agent, or the recipient."""
    kind = text(input, "subagent_type")
    to = text(input, "recipient", "to", "name")
    return safe.brief(kind or (f"to {to}" if to else ""), 60)


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first lines of the answer."""
    return excerpt(result_text(result), 4)


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """Options, prompt and answer; the latter two are prose."""
    options = pairs([(name.replace("_", " "), text(input, name)) for name in _OPTIONS])
    prompt = build.markdown(text(input, "prompt", "message", "content"), "prompt")
    return [*options, *prompt, *build.markdown(result_text(result), "answer")]
