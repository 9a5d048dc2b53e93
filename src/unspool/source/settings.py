"""The text of a settings.json -> the same with our hooks in it, or without them.

Other people's entries are not even rewritten: only the text of ours comes and goes.
"""

import json
import re
import shlex
from collections.abc import Collection
from typing import Any, Final, TypeAlias, get_args

from unspool.errors import ConfigError
from unspool.model.health import EmptySettings, EventState, InstalledHook
from unspool.model.hooks import HookPayload, OtherHook
from unspool.source import jsontext

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


# In the list of blanks: neither is the name of an event.
_FILE, _HOOKS = "", "hooks"
_SWITCHES: Final = (
    ("disableAllHooks", True),
    ("allowManagedHooksOnly", True),
    ("onFailure", "block"),
)


class Settings:
    """One settings file, as text and as what it says; ConfigError where it says nothing."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = self._parsed(text)

    def installed(self, command: str) -> str:
        """The text with each of our hooks in it once."""
        self._check()
        right = {one.event for one in self.states(command) if one.state == "installed"}
        text = self._without(self._ours() - right, EmptySettings(hooks=True, events=WANTED))
        groups = {event: [{"hooks": [entry(event, command)]}] for event in WANTED}
        there = events_of(self.tree)
        new = {event: group for event, group in groups.items() if event not in there}
        if "hooks" not in self.tree:
            text = jsontext.extend(text, (), {"hooks": new})
        elif new:
            text = jsontext.extend(text, ("hooks",), new)
        for event in (event for event in WANTED if event in there and event not in right):
            text = jsontext.extend(text, ("hooks", event), groups[event])
        return self._proven(text)

    def uninstalled(self, husks: EmptySettings) -> str:
        """The text without our hooks, and without what only they have filled."""
        return self._proven(self._without(self._ours(), husks))

    def husks(self) -> EmptySettings:
        """What is there and empty."""
        events = events_of(self.tree)
        empty = tuple(event for event in events if events[event] == [])
        blanks = {event: jsontext.blank(self.text, ("hooks", event)) for event in empty}
        has_no_events = self.tree.get("hooks") == {}
        if has_no_events:
            blanks[_HOOKS] = jsontext.blank(self.text, ("hooks",))
        if not self.tree:
            blanks[_FILE] = jsontext.blank(self.text, ())
        return EmptySettings(hooks=has_no_events, events=empty, blanks=blanks)

    def has_ours(self) -> bool:
        """Whether any of our hooks is there."""
        return bool(self._ours())

    def states(self, command: str) -> tuple[InstalledHook, ...]:
        """How each event stands."""
        return tuple(self._state(event, command) for event in EVENTS)

    def switches(self) -> list[str]:
        """The settings here that keep hooks from running, or make a failing one a veto."""
        return [name for name, value in _SWITCHES if self.tree.get(name) == value]

    def _parsed(self, text: str) -> Tree:
        try:
            tree = jsontext.parse(text)
        except ValueError as error:
            said = f"{self.path} is not JSON: {error}. Nothing was changed; mend it first."
            raise ConfigError(said) from error
        if not isinstance(tree, dict):
            raise ConfigError(f"{self.path} is not a JSON object. Nothing was changed.")
        return tree

    def _check(self) -> None:
        hooks = self.tree.get("hooks", {})
        if not isinstance(hooks, dict):
            raise ConfigError(f'"hooks" in {self.path} is not an object. Nothing was changed.')
        for event in WANTED:
            if not isinstance(hooks.get(event, []), list):
                said = f'"{event}" in the hooks of {self.path} is not a list. Nothing was changed.'
                raise ConfigError(said)

    def _ours(self) -> set[str]:
        return {
            event
            for event in events_of(self.tree)
            if any(map(ours_of, groups_of(self.tree, event)))
        }

    def _state(self, event: str, command: str) -> InstalledHook:
        groups = groups_of(self.tree, event)
        ours = [(group, found) for group in groups for found in ours_of(group)]
        beside = sum(len(entries_of(group)) for group in groups) - len(ours)
        state: EventState = "outdated"
        if not ours:
            state = "avoided" if event in AVOIDED else "missing"
        elif event in WANTED and [found for _, found in ours] == [_read(entry(event, command))]:
            is_for_all = ours[0][0].get("matcher", "") in ("", "*")
            state = "installed" if is_for_all else "outdated"
        return InstalledHook(event, state, beside)

    def _without(self, events: Collection[str], husks: EmptySettings) -> str:
        """The text without ours for some events; only what was empty before stays empty."""
        text = self.text
        emptied = {event for event in events if is_all_ours(groups_of(self.tree, event))}
        dropped = emptied - {*husks.events}
        if dropped == {*events_of(self.tree)} and dropped and not husks.hooks:
            return jsontext.drop(text, ("hooks",), husks.blanks.get(_FILE, ""))
        for event in dropped:
            text = jsontext.drop(text, ("hooks", event), husks.blanks.get(_HOOKS, ""))
        for event in {*events} - dropped:
            groups = groups_of(self.tree, event)
            for at in reversed(range(len(groups))):
                blank = husks.blanks.get(event, "")
                text = _without_ours(text, ("hooks", event, at), groups[at], blank)
        return text

    def _proven(self, text: str) -> str:
        """The text, if all that is not ours says what it said."""
        if others(self._parsed(text)) != others(self.tree):
            raise ConfigError(f"Cannot change {self.path} without a loss. Nothing was changed.")
        return text


def _without_ours(text: str, path: jsontext.Path, group: Any, blank: str) -> str:
    if is_all_ours([group]):
        return jsontext.drop(text, path, blank)
    ours = [at for at, found in enumerate(entries_of(group)) if is_ours(found)]
    for at in reversed(ours):
        text = jsontext.drop(text, (*path, "hooks", at))
    return text


def _read(made: Tree) -> Any:
    """As it is when it was written and read back."""
    return jsontext.parse(json.dumps(made))
