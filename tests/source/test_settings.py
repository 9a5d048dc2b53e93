import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from unspool.errors import ConfigError
from unspool.model.health import EmptySettings
from unspool.source.settings import EVENTS, WANTED, Settings, entry, hook_command, is_ours

COMMAND: Final = hook_command("/usr/bin/python3", "/home/u/unspool-hook.py", "/home/u/spool")
OLD: Final = hook_command("/old/python3", "/old/unspool-hook.py", "/old/spool")
THEIRS: Final = {"type": "command", "command": "say done"}


def of(tree: Any) -> Settings:
    """Settings that say so."""
    return Settings("settings.json", json.dumps(tree, indent=2))


def installed(tree: Any) -> Settings:
    """The same with our hooks."""
    return Settings("settings.json", of(tree).installed(COMMAND))


def state(tree: Any, event: str = "Stop") -> tuple[str, int]:
    """How one event stands, and how many others stand beside it."""
    return next((one.state, one.others) for one in of(tree).states(COMMAND) if one.event == event)


def group(*entries: Any, **more: Any) -> dict[str, Any]:
    return {**more, "hooks": list(entries)}


def test_each_event_gets_one_group() -> None:
    hooks = json.loads(installed({}).text)["hooks"]

    assert tuple(hooks) == WANTED
    assert all(hooks[event] == [group(entry(event, COMMAND))] for event in WANTED)


def test_a_second_install_changes_no_byte() -> None:
    once = installed({"hooks": {"Stop": [group(THEIRS)]}})

    assert once.installed(COMMAND) == once.text


def test_others_stay_before_ours_as_they_are() -> None:
    theirs = group(THEIRS, matcher="Bash")

    assert json.loads(installed({"hooks": {"Stop": [theirs]}}).text)["hooks"]["Stop"] == [
        theirs,
        group(entry("Stop", COMMAND)),
    ]


def test_the_text_of_others_is_not_touched() -> None:
    text = '{ "n" : 1.10,\n "u":"\\u00e9",  "hooks":{"Stop" : [ ]} ,"n": 1e999 }'
    found = Settings("settings.json", text)
    made = Settings("settings.json", found.installed(COMMAND))

    assert made.text.startswith('{ "n" : 1.10,\n "u":"\\u00e9",  "hooks":{"Stop" : [')
    assert made.text.endswith('} ,"n": 1e999 }')
    assert made.uninstalled(found.husks()) == text


@pytest.mark.parametrize(
    "tree",
    [
        {"hooks": {"Stop": [group(entry("Stop", OLD))]}},
        {"hooks": {"Stop": [group(entry("Stop", COMMAND)), group(entry("Stop", OLD))]}},
        {"hooks": {"Stop": [group(entry("Stop", COMMAND), matcher="Bash")]}},
        {"hooks": {"Stop": [group({**entry("Stop", COMMAND), "onFailure": "block"})]}},
        {"hooks": {"WorktreeCreate": [group(entry("Stop", COMMAND))]}},
        {"hooks": {"Gone": [group(entry("Stop", COMMAND))]}},
    ],
)
def test_what_is_outdated_is_put_right(tree: Any) -> None:
    assert json.loads(installed(tree).text) == {
        "hooks": {event: [group(entry(event, COMMAND))] for event in WANTED}
    }


def test_ours_leave_a_group_that_others_have_joined() -> None:
    shared = group(entry("Stop", COMMAND), THEIRS, matcher="x")
    made = of({"hooks": {"Stop": [shared]}}).uninstalled(EmptySettings())

    assert json.loads(made) == {"hooks": {"Stop": [group(THEIRS, matcher="x")]}}


def test_what_only_we_have_filled_goes_with_us() -> None:
    assert json.loads(installed({"model": "opus"}).uninstalled(EmptySettings())) == {
        "model": "opus"
    }


@pytest.mark.parametrize("tree", [{"hooks": {}}, {"hooks": {"Stop": [], "Mine": []}}])
def test_what_was_empty_is_empty_again(tree: Any) -> None:
    husks = of(tree).husks()

    assert json.loads(installed(tree).uninstalled(husks)) == tree


def test_where_nothing_is_ours_nothing_is_taken() -> None:
    found = of({"hooks": {"Stop": []}})

    assert found.uninstalled(EmptySettings()) == found.text
    assert not found.has_ours()
    assert installed({}).has_ours()


def test_a_change_that_would_bring_others_to_light_is_refused() -> None:
    ours = json.dumps({"Stop": [group(entry("Stop", COMMAND))]})
    twice = f'{{"hooks": {{"Stop": [{{}}]}}, "hooks": {ours}}}'

    with pytest.raises(ConfigError, match="without a loss"):
        Settings("settings.json", twice).uninstalled(EmptySettings())


Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
Entries = st.fixed_dictionaries(
    {"type": st.sampled_from(["command", "http", "prompt"])},
    optional={"command": st.text(max_size=8), "timeout": st.integers(0, 9), "url": Json},
)
Groups = st.fixed_dictionaries(
    {"hooks": st.lists(Entries | Json, max_size=3)}, optional={"matcher": st.text(max_size=5)}
)
Events = st.sampled_from([*EVENTS, "FutureEvent", ""])
Hooks = st.dictionaries(Events, st.lists(Groups | Json, max_size=3), max_size=4)
Trees = st.builds(
    lambda rest, hooks, after: {**rest, **hooks, **after},
    st.dictionaries(st.text(max_size=5), Json, max_size=3),
    st.just({}) | st.builds(lambda hooks: {"hooks": hooks}, Hooks),
    st.dictionaries(st.sampled_from(["env", "model", "permissions"]), Json, max_size=2),
).filter(lambda tree: isinstance(tree.get("hooks", {}), dict))
Texts = st.builds(
    lambda tree, style: json.dumps(tree, **style),
    Trees,
    st.fixed_dictionaries(
        {"indent": st.sampled_from([None, 0, 2, "\t"]), "ensure_ascii": st.booleans()}
    ),
)


@settings(max_examples=examples(300))
@given(Texts)
def test_install_and_uninstall_leave_what_was_there(text: str) -> None:
    found = Settings("settings.json", text)
    made = Settings("settings.json", found.installed(COMMAND))
    left = made.uninstalled(found.husks())

    assert json.dumps(json.loads(left)) == json.dumps(json.loads(text))
    assert left == text


@given(Texts)
def test_install_adds_ours_and_nothing_else(text: str) -> None:
    before, after = json.loads(text), json.loads(Settings("x", text).installed(COMMAND))
    hooks = after.pop("hooks")
    theirs = before.pop("hooks", {})

    assert after == before
    assert all(hooks[event][: len(theirs[event])] == theirs[event] for event in theirs)
    assert all(is_ours(hooks[event][-1]["hooks"][0]) for event in WANTED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ("null", "is not a JSON object"),
        ('{"hooks": null}', "is not an object"),
        ('{"hooks": []}', "is not an object"),
        ('{"hooks": {"Stop": {}}}', '"Stop" in the hooks of settings.json is not a list'),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"{said}.*Nothing was changed"):
        Settings("settings.json", text).installed(COMMAND)


@pytest.mark.parametrize("hooks", [None, [], "x", {"Stop": None}])
def test_out_of_what_is_no_hooks_nothing_is_taken(hooks: Any) -> None:
    found = of({"hooks": hooks})

    assert found.uninstalled(found.husks()) == found.text


def test_an_event_stands_as_it_stands() -> None:
    ours = group(entry("Stop", COMMAND))

    assert state({}) == ("missing", 0)
    assert state({"hooks": {"Stop": [ours]}}) == ("installed", 0)
    assert state({"hooks": {"Stop": [group(THEIRS, THEIRS), ours]}}) == ("installed", 2)
    assert state({"hooks": {"Stop": [group(entry("Stop", OLD))]}}) == ("outdated", 0)
    assert state({"hooks": {"Stop": [ours, ours]}}) == ("outdated", 0)


def test_the_event_that_would_break_is_left_alone() -> None:
    assert state({}, "WorktreeCreate") == ("avoided", 0)
    assert state({"hooks": {"WorktreeCreate": [group(THEIRS)]}}, "WorktreeCreate") == ("avoided", 1)


def test_switches_that_stop_hooks_are_seen() -> None:
    assert of({"disableAllHooks": False, "model": "opus"}).switches() == []
    assert of({"disableAllHooks": True}).switches() == ["disableAllHooks"]
    assert of({"allowManagedHooksOnly": True, "onFailure": "block"}).switches() == [
        "allowManagedHooksOnly",
        "onFailure",
    ]
