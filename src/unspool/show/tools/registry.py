"""A tool's name -> its viewer; a viewer that breaks gives way to the plain one."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools import ask, bash, edit, fallback, mcp, plan, read, search, task, todo, web
from unspool.show.tools.values import Fields, block, said, without_tags

T = TypeVar("T")


class Viewer(Protocol):
    """What every module of this room offers."""

    def summary(self, input: Fields, result: object) -> str:
        """What the call did, on one line."""

    def facts(self, input: Fields, result: object) -> str:
        """What came of it, in a word or two."""

    def body(self, input: Fields, result: object, *, failed: bool) -> list[Line]:
        """What came of it, on a few lines."""


VIEWERS: Final[dict[str, Viewer]] = {
    **dict.fromkeys("Bash PowerShell BashOutput KillShell KillBash Monitor".split(), bash),
    **dict.fromkeys("Edit MultiEdit Write NotebookEdit".split(), edit),
    **dict.fromkeys("Read NotebookRead LS ReadMcpResourceTool".split(), read),
    **dict.fromkeys("Grep Glob LSP ToolSearch".split(), search),
    **dict.fromkeys("Agent Task SendMessage Workflow TaskOutput TaskStop".split(), task),
    **dict.fromkeys("TodoWrite TaskCreate TaskUpdate TaskList TaskGet".split(), todo),
    **dict.fromkeys("WebFetch WebSearch".split(), web),
    **dict.fromkeys("ExitPlanMode EnterPlanMode exit_plan_mode".split(), plan),
    "AskUserQuestion": ask,
}
# A run of calls that only look is one line: what they saw is not the story.
NOUNS: Final[dict[str, str]] = {
    **dict.fromkeys(("Read", "NotebookRead"), read.NOUN),
    **dict.fromkeys(("Grep", "Glob"), search.NOUN),
}
_TELLS_FAILURE: Final = frozenset({"Bash", "PowerShell", "BashOutput"})


def viewer(name: str) -> Viewer:
    """Who shows the calls of this tool."""
    return VIEWERS.get(name) or (mcp if name.startswith(mcp.PREFIX) else fallback)


def label(name: str) -> str:
    """A tool's name as a person says it."""
    return mcp.label(name) if name.startswith(mcp.PREFIX) else safe.brief(name, 40)


def summary(name: str, input: Fields, result: object) -> str:
    """What the call did, on one line."""
    return _survive(viewer(name).summary, fallback.summary, input, result)


def facts(name: str, input: Fields, result: object, *, failed: bool = False) -> str:
    """What came of it, in a word or two; nothing came of a failure."""
    if failed and name not in _TELLS_FAILURE:
        return ""
    return _survive(viewer(name).facts, fallback.facts, input, result)


def body(name: str, input: Fields, result: object, *, failed: bool = False) -> list[Line]:
    """What came of it, on a few lines; of most failures, what was said about them."""
    if failed and name not in _TELLS_FAILURE:
        return block(without_tags(said(result)), 4, 4, style="bad")

    def plain(input: Fields, result: object) -> list[Line]:
        return fallback.body(input, result, failed=failed)

    def own(input: Fields, result: object) -> list[Line]:
        return viewer(name).body(input, result, failed=failed)

    return _survive(own, plain, input, result)


def _survive(
    own: Callable[[Fields, object], T],
    plain: Callable[[Fields, object], T],
    input: Fields,
    result: object,
) -> T:
    try:
        return own(input, result)
    except Exception:  # whatever a viewer trips over, the session is still shown
        return plain(input, result)
