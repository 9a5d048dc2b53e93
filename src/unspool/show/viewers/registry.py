"""A call -> what lies behind it; a viewer that breaks gives way to the plain one."""

from typing import Final, Protocol

from unspool.show.tools.values import Fields, said, without_tags
from unspool.show.viewers import ask, bash, edit, fallback, plan, read, search, task, todo, web
from unspool.show.viewers.pieces import Amount, Piece, pictures


class Viewer(Protocol):
    """What every module of this room offers."""

    def pieces(self, input: Fields, result: object, amount: Amount) -> list[Piece]:
        """What lies behind a call, piece by piece."""


VIEWERS: Final[dict[str, Viewer]] = {
    **dict.fromkeys("Bash PowerShell BashOutput KillShell KillBash Monitor".split(), bash),
    **dict.fromkeys("Edit MultiEdit Write NotebookEdit".split(), edit),
    **dict.fromkeys("Read NotebookRead LS ReadMcpResourceTool".split(), read),
    **dict.fromkeys("Grep Glob LSP ToolSearch".split(), search),
    **dict.fromkeys("Agent Task SendMessage Workflow TaskOutput TaskStop Skill".split(), task),
    **dict.fromkeys("TodoWrite TaskCreate TaskUpdate TaskList TaskGet".split(), todo),
    **dict.fromkeys("WebFetch WebSearch".split(), web),
    **dict.fromkeys("ExitPlanMode EnterPlanMode exit_plan_mode".split(), plan),
    "AskUserQuestion": ask,
}
_TELLS_FAILURE: Final = frozenset({"Bash", "PowerShell", "BashOutput"})


def pieces(
    name: str, input: Fields, result: object, amount: Amount, *, failed: bool = False
) -> list[Piece]:
    """What lies behind a call; of most failures what was said about them comes first."""
    viewer = VIEWERS.get(name, fallback)
    try:
        if not failed or name in _TELLS_FAILURE:
            return viewer.pieces(input, result, amount)
        told = amount.output(without_tags(said(result)), "error")
        return [*told, *viewer.pieces(input, None, amount)]
    except Exception:  # whatever a viewer trips over, the session is still shown
        return [*pictures(result), *amount.output(said(result))]
