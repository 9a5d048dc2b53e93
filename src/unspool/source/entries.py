"""Our entries in a settings file: how they are written, and how they are known again."""

import re
import shlex
from typing import Any, Final, TypeAlias, get_args

from unspool.model.hooks import HookPayload, OtherHook

Tree: TypeAlias = dict[str, Any]

SCRIPT: Final = "unspool-hook.py"
EVENTS: Final = tuple(
    str(kind.__struct_config__.tag) for kind in get_args(HookPayload) if kind is not OtherHook
)
# Whoever has a hook there makes the worktree and says where it is: a silent one breaks it.
AVOIDED: Final = frozenset({"WorktreeCreate"})
WANTED: Final = tuple(event for event in EVENTS if event not in AVOIDED)

_ENDS_WELL: Final = ("2>/dev/null", "||", "exit", "0")


def hook_command(python: str, script: str, spool: str) -> str:
    """What Claude Code runs. Python's word for a missing script is 2, Claude Code's for a veto."""
    words = map(shlex.quote, (python, "-I", "-S", script, spool))
    return " ".join((*words, *_ENDS_WELL))


def entry(event: str, command: str) -> Tree:
    """Our entry for one event."""
    if event == "SessionEnd":
        # What is in the background when a session ends is killed. All hooks there share 1.5 s,
        # and one that asks for more lets the others take more.
        return {"type": "command", "command": command, "timeout": 1}
    # Nobody waits for the others: a busy machine may take its time, and no event is lost to it.
    return {"type": "command", "command": command, "async": True, "timeout": 60}


def is_ours(found: Any) -> bool:
    """Whether an entry runs our script, of this home or another, and nothing else."""
    command = found.get("command") if isinstance(found, dict) else None
    if not isinstance(command, str) or SCRIPT not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    name = re.split(r"[/\\]", words[3])[-1] if len(words) > 4 else ""
    return name == SCRIPT and words[1:3] == ["-I", "-S"] and tuple(words[5:]) in ((), _ENDS_WELL)


def groups_of(tree: Tree, event: str) -> list[Any]:
    """An event's groups, as far as they are a list."""
    groups = events_of(tree).get(event)
    return groups if isinstance(groups, list) else []


def events_of(tree: Tree) -> Tree:
    """What hooks there are, by event."""
    hooks = tree.get("hooks")
    return hooks if isinstance(hooks, dict) else {}


def entries_of(group: Any) -> list[Any]:
    """A group's entries, as far as they are a list."""
    entries = group.get("hooks") if isinstance(group, dict) else None
    return entries if isinstance(entries, list) else []


def ours_of(group: Any) -> list[Any]:
    """Those of a group's entries that are ours."""
    return [found for found in entries_of(group) if is_ours(found)]


def others(tree: Tree) -> Tree:
    """All that is not ours, and nothing that is empty once we are gone."""
    if not isinstance(tree.get("hooks"), dict):
        return tree
    events = {event: _rest(groups) for event, groups in tree["hooks"].items()}
    kept = {event: groups for event, groups in events.items() if groups != []}
    rest = {key: value for key, value in tree.items() if key != "hooks"}
    return {**rest, "hooks": kept} if kept else rest


def is_all_ours(groups: list[Any]) -> bool:
    """Whether there are entries in each of the groups, and none but ours."""
    return all(entries_of(group) and all(map(is_ours, entries_of(group))) for group in groups)


def _rest(groups: Any) -> Any:
    if not isinstance(groups, list):
        return groups
    return [_foreign(group) for group in groups if not is_all_ours([group])]


def _foreign(group: Any) -> Any:
    if not ours_of(group):
        return group
    return {**group, "hooks": [found for found in entries_of(group) if not is_ours(found)]}
