"""The name of a tool -> how its calls are shown; when a view raises, the fallback takes over."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from unspool.show.spans import Line
from unspool.show.tools import (
    ask,
    bash,
    edit,
    fallback,
    plan,
    read,
    search,
    skill,
    task,
    todo,
    values,
    web,
)
from unspool.show.tools.details import Detail, DetailBuilder, images
from unspool.show.tools.values import Fields, excerpt, result_text, without_tags

T = TypeVar("T")


class ToolView(Protocol):
    """What each module of a tool provides."""

    def summary(self, input: Fields, result: object) -> str:
        """What the call did, on one line."""

    def facts(self, input: Fields, result: object) -> str:
        """The result in a word or two."""

    def preview(self, input: Fields, result: object, *, failed: bool) -> list[Line]:
        """The result in a few lines, for the terminal."""

    def details(self, input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
        """Everything about the call, for a page or an export."""


TOOLS: Final[dict[str, ToolView]] = {
    **dict.fromkeys("Bash PowerShell BashOutput KillShell KillBash Monitor".split(), bash),
    **dict.fromkeys("Edit MultiEdit Write NotebookEdit".split(), edit),
    **dict.fromkeys("Read NotebookRead LS ReadMcpResourceTool".split(), read),
    **dict.fromkeys("Grep Glob LSP ToolSearch".split(), search),
    **dict.fromkeys("Agent Task SendMessage Workflow TaskOutput TaskStop".split(), task),
    **dict.fromkeys("TodoWrite TaskCreate TaskUpdate TaskList TaskGet".split(), todo),
    **dict.fromkeys("WebFetch WebSearch".split(), web),
    **dict.fromkeys("ExitPlanMode EnterPlanMode exit_plan_mode".split(), plan),
    "AskUserQuestion": ask,
    "Skill": skill,
}
# Calls that only read are gathered in one line; this is what they are counted in.
NOUNS: Final[dict[str, str]] = {
    **dict.fromkeys(("Read", "NotebookRead"), read.NOUN),
    **dict.fromkeys(("Grep", "Glob"), search.NOUN),
}
# Their output says more about a failure than the error message alone.
_SHOW_FAILED_OUTPUT: Final = frozenset({"Bash", "PowerShell", "BashOutput"})


def tool_view(name: str) -> ToolView:
    """The module of this tool, or the fallback."""
    return TOOLS.get(name, fallback)


def label(name: str) -> str:
    """The name to show for a tool."""
    return fallback.label(name)


def verb(name: str) -> str:
    """The name without its MCP server."""
    return fallback.verb(name)


def server(name: str) -> str:
    """The MCP server of a tool; "" for any other tool."""
    return fallback.server(name)


def summary(name: str, input: Fields, result: object) -> str:
    """What the call did, on one line."""
    view = tool_view(name)
    return _first_that_works(
        lambda: view.summary(input, result), lambda: fallback.summary(input, result)
    )


def facts(name: str, input: Fields, result: object, *, failed: bool = False) -> str:
    """The result in a word or two; of most failures nothing."""
    if failed and name not in _SHOW_FAILED_OUTPUT:
        return ""
    view = tool_view(name)
    return _first_that_works(
        lambda: view.facts(input, result), lambda: fallback.facts(input, result)
    )


def preview(name: str, input: Fields, result: object, *, failed: bool = False) -> list[Line]:
    """The result in a few lines; of most failures the error message."""
    if failed and name not in _SHOW_FAILED_OUTPUT:
        return excerpt(without_tags(result_text(result)), 4, 4, style="bad")
    view = tool_view(name)
    return _first_that_works(
        lambda: view.preview(input, result, failed=failed),
        lambda: fallback.preview(input, result, failed=failed),
    )


def details(
    name: str, input: Fields, result: object, build: DetailBuilder, *, failed: bool = False
) -> list[Detail]:
    """Everything about a call, its images last; of most failures the error comes first."""
    view = tool_view(name)
    _, content = values.images(result)

    def own() -> list[Detail]:
        if not failed or name in _SHOW_FAILED_OUTPUT:
            return view.details(input, content, build)
        message = build.output(without_tags(result_text(content)), "error")
        return [*message, *view.details(input, None, build)]

    text = _first_that_works(own, lambda: build.output(result_text(content)))
    return [*text, *images(result)]


def _first_that_works(own: Callable[[], T], plain: Callable[[], T]) -> T:
    try:
        return own()
    except Exception:  # whatever a view trips over, the session is still shown
        return plain()
