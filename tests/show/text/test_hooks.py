from typing import Any

import pytest

from unspool.model.health import HookChange, HookStatus, HookSwitch, InstalledHook
from unspool.show.spans import plain
from unspool.show.text import hooks


def change(before: str | None, after: str | None, backup: str | None = None) -> HookChange:
    return HookChange("/u/settings.json", "python hook.py", before, after, backup)


def found(*events: InstalledHook, **more: Any) -> HookStatus:
    """How things stand; well, unless told otherwise."""
    said: dict[str, Any] = {
        "settings": "/u/settings.json",
        "exists": True,
        "installed": all(one.state == "installed" for one in events),
        "command": "python hook.py",
        "script": "current",
        "spool": "/u/spool",
        "spool_files": 0,
        "spool_bytes": 0,
        "switches": (),
        **more,
    }
    return HookStatus(events=events, **said)


def shown(status: HookStatus) -> list[str]:
    return [plain(line) for line in hooks.hook_status(status, None)]


def test_a_change_is_a_patch() -> None:
    assert hooks.patch(change('{\n  "a": 1\n}\n', '{\n  "a": 2\n}\n')) == [
        "--- /u/settings.json",
        "+++ /u/settings.json",
        "@@ -1,3 +1,3 @@",
        " {",
        '-  "a": 1',
        '+  "a": 2',
        " }",
    ]


def test_a_file_that_comes_or_goes_is_a_patch_too() -> None:
    assert hooks.patch(change(None, "{}"))[:2] == ["--- /dev/null", "+++ /u/settings.json"]
    assert hooks.patch(change("{}", None))[:2] == ["--- /u/settings.json", "+++ /dev/null"]


def test_a_patch_is_coloured_but_for_its_names() -> None:
    styles = [line[0][0] for line in hooks.patch_lines(change("-- a", "++ b"))]

    assert styles == ["strong", "strong", "dim", "drop", "add"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (change("{}", "{}"), ["Already installed in /u/settings.json: nothing to do."]),
        (change(None, "{}"), ["Installed hooks for 32 events in /u/settings.json."]),
        (
            change("{}", "{ }", "/u/bak"),
            ["Installed hooks for 32 events in /u/settings.json.", "Backup: /u/bak"],
        ),
    ],
)
def test_an_install_says_what_it_did(made: HookChange, said: list[str]) -> None:
    assert [plain(line) for line in hooks.install_lines(made, 32)] == said


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (change("{}", "{}"), "No unspool hooks in /u/settings.json: nothing to do."),
        (change("{ }", "{}"), "Removed the hooks from /u/settings.json."),
        (
            change("{ }", None),
            "Removed the hooks from /u/settings.json, and the file, which held nothing else.",
        ),
    ],
)
def test_an_uninstall_says_what_it_did(made: HookChange, said: str) -> None:
    assert [plain(line) for line in hooks.uninstall_lines(made)] == [said]


def test_each_event_has_a_line() -> None:
    events = (InstalledHook("Stop", "installed", 2), InstalledHook("WorktreeCreate", "avoided", 0))

    assert shown(found(*events, installed=True))[-3:] == [
        "EVENT           UNSPOOL    OTHER HOOKS",
        "Stop            installed            2",
        "WorktreeCreate  not used",
    ]


def test_what_is_well_is_said_in_a_line() -> None:
    events = (InstalledHook("Stop", "installed", 0), InstalledHook("WorktreeCreate", "avoided", 0))

    assert shown(found(*events, installed=True, spool_files=2, spool_bytes=1_500))[:3] == [
        "settings  /u/settings.json",
        "hooks     installed for 1 event",
        "spool     2 files, 1.5 KB in /u/spool",
    ]


def test_what_is_missing_says_what_to_do() -> None:
    stop, setup = InstalledHook("Stop", "missing", 0), InstalledHook("Setup", "installed", 0)

    assert shown(found(stop))[1] == "hooks     not installed; unspool hooks install"
    assert shown(found(stop, setup))[1] == (
        "hooks     installed for 1 of 2 events; unspool hooks install"
    )
    outdated = InstalledHook("Stop", "outdated", 0)
    assert shown(found(outdated))[1] == "hooks     outdated; unspool hooks install"
    assert shown(found(stop, exists=False))[0] == "settings  /u/settings.json (no such file)"


def test_a_script_that_is_missing_or_old_is_told() -> None:
    stop = InstalledHook("Stop", "installed", 0)

    assert "script    missing; unspool hooks install" in shown(found(stop, script="missing"))
    assert "script    outdated; unspool hooks install" in shown(found(stop, script="outdated"))


def test_before_an_install_no_script_is_missed() -> None:
    events = (InstalledHook("Stop", "missing", 0),)

    assert not any(line.startswith("script") for line in shown(found(*events, script="missing")))


@pytest.mark.parametrize("name", ["disableAllHooks", "allowManagedHooksOnly", "onFailure"])
def test_a_switch_says_what_it_does(name: str) -> None:
    (line,) = hooks.warning_lines((HookSwitch("/etc/managed.json", name),))

    assert plain(line).startswith(f"warning   {name} in /etc/managed.json: ")
    assert line[1][0] == "wait"
