import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any, Final

import pytest

from tests.source.firing import PAYLOAD, PYTHON, payloads
from unspool.errors import ConfigError, UnspoolError
from unspool.source import hook
from unspool.source.installer import Site, install, status, uninstall

NOW: Final = 1_767_225_600_123
THEIRS: Final = {
    "model": "opus",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A settings file that others use, and a home that is not there yet."""
    settings = tmp_path / "claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(THEIRS, indent=4))
    return Site(str(settings), str(tmp_path / "home"), PYTHON)


def text(site: Site) -> str:
    return Path(site.settings).read_text()


def names(path: str) -> list[str]:
    """What lies in the directory of a file."""
    return sorted(one.name for one in Path(path).parent.iterdir())


def states(site: Site) -> set[str]:
    return {one.state for one in status(site).events}


def test_installed_hooks_do_their_work(site: Site) -> None:
    install(site, NOW)
    command = json.loads(text(site))["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    subprocess.run(["/bin/sh", "-c", command], input=PAYLOAD, check=True)

    assert command == site.command
    assert payloads(Path(site.spool)) == [PAYLOAD]


@pytest.mark.parametrize(
    "data",
    [
        b'{"hooks": {\r\n\t}}',
        b'{\n  "model": "opus",\n  "hooks": { }\n}\n',
        b'{"hooks": {"Stop": [ ], "PreToolUse": [\n\n]}}',
        b'{"hooks": {"Mine": [ ]}}',
        b"{ \n}\n",
        b"{}",
    ],
)
def test_what_was_empty_is_empty_in_the_same_bytes(site: Site, data: bytes) -> None:
    Path(site.settings).write_bytes(data)
    assert install(site, NOW).changed
    uninstall(site, NOW + 1)

    assert Path(site.settings).read_bytes() == data


def test_install_keeps_a_copy_and_uninstall_gives_the_same_bytes_back(site: Site) -> None:
    before = text(site)
    change = install(site, NOW)

    assert change.changed
    assert change.backup == f"{site.settings}.bak-unspool-20260101T000000.123"
    assert Path(change.backup).read_text() == before
    uninstall(site, NOW + 1)
    assert text(site) == before


def test_a_second_install_writes_nothing(site: Site) -> None:
    install(site, NOW)
    before, beside = Path(site.settings).stat(), names(site.settings)
    change = install(site, NOW + 1)

    after = Path(site.settings).stat()
    assert not change.changed
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(site.settings) == beside


def test_a_dry_run_touches_nothing(site: Site) -> None:
    change = install(site, NOW, dry_run=True)

    assert change.changed
    assert names(site.settings) == ["settings.json"]
    assert not Path(site.home).exists()


def test_a_dry_run_out_touches_nothing_either(site: Site) -> None:
    install(site, NOW)
    before = text(site)

    assert json.loads(uninstall(site, NOW, dry_run=True).after or "") == THEIRS
    assert text(site) == before
    uninstall(site, NOW)
    assert json.loads(text(site)) == THEIRS


def test_where_there_are_no_settings_they_are_made_and_taken_away(tmp_path: Path) -> None:
    site = Site(str(tmp_path / "new" / "settings.json"), str(tmp_path / "home"), PYTHON)
    install(site, NOW)

    assert states(site) == {"installed", "avoided"}
    assert uninstall(site, NOW).after is None
    assert not Path(site.settings).exists()


def test_settings_that_were_made_and_used_since_stay(tmp_path: Path) -> None:
    site = Site(str(tmp_path / "settings.json"), str(tmp_path / "home"), PYTHON)
    install(site, NOW)
    Path(site.settings).write_text(text(site).replace("{", '{"model": "opus",', 1))
    uninstall(site, NOW)

    assert json.loads(text(site)) == {"model": "opus"}


def test_where_there_is_nothing_nothing_is_taken(tmp_path: Path) -> None:
    site = Site(str(tmp_path / "new" / "settings.json"), str(tmp_path / "home"), PYTHON)

    assert not uninstall(site, NOW).changed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tree", [{"hooks": {}}, {"hooks": {"Stop": []}}, {}])
def test_what_was_empty_is_empty_again(site: Site, tree: Any) -> None:
    Path(site.settings).write_text(json.dumps(tree))
    install(site, NOW)
    install(site, NOW)
    uninstall(site, NOW)

    assert text(site) == json.dumps(tree)


def test_a_link_stays_a_link(site: Site, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    Path(site.settings).rename(real)
    Path(site.settings).symlink_to(real)
    install(site, NOW)

    assert Path(site.settings).is_symlink()
    assert not real.is_symlink()
    assert states(site) == {"installed", "avoided"}


def test_a_mark_at_the_beginning_stays(site: Site) -> None:
    Path(site.settings).write_bytes(b"\xef\xbb\xbf{}")
    install(site, NOW)

    assert Path(site.settings).read_bytes().startswith(b"\xef\xbb\xbf{\n")
    uninstall(site, NOW)
    assert Path(site.settings).read_bytes() == b"\xef\xbb\xbf{}"


@pytest.mark.parametrize("data", [b"", b"// mine\n{}", b"[]", b'{"hooks": 1}', b'{"\xff": 1}'])
def test_what_cannot_be_read_stays_as_it_is(site: Site, data: bytes) -> None:
    Path(site.settings).write_bytes(data)

    with pytest.raises(ConfigError, match="Nothing was changed"):
        install(site, NOW)
    assert Path(site.settings).read_bytes() == data
    assert names(site.settings) == ["settings.json"]


def test_a_pipe_is_no_settings_file(site: Site) -> None:
    Path(site.settings).unlink()
    os.mkfifo(site.settings)

    with pytest.raises(UnspoolError, match="not a regular file"):
        install(site, NOW)


def test_settings_and_home_may_be_one_place(site: Site) -> None:
    together = Site(site.settings, str(Path(site.settings).parent), PYTHON)
    install(together, NOW)

    assert states(together) == {"installed", "avoided"}


def test_an_old_python_is_replaced(site: Site) -> None:
    install(Site(site.settings, site.home, "/old/python"), NOW)

    assert states(site) == {"outdated", "avoided"}
    install(site, NOW)
    assert states(site) == {"installed", "avoided"}
    assert "/old/python" not in text(site)


def test_the_script_is_ours_alone_and_outlives_the_hooks(site: Site) -> None:
    install(site, NOW)
    uninstall(site, NOW)

    assert Path(site.script).read_bytes() == Path(hook.__file__).read_bytes()
    assert Path(site.script).stat().st_mode & 0o777 == 0o600
    assert Path(site.spool).stat().st_mode & 0o777 == 0o700


def test_an_old_script_is_renewed(site: Site) -> None:
    install(site, NOW)
    Path(site.script).write_text("old")

    assert status(site).script == "outdated"
    install(site, NOW)
    assert status(site).script == "current"


def test_a_record_that_is_damaged_is_done_without(site: Site) -> None:
    install(site, NOW)
    (Path(site.home) / "hooks.json").write_text('{"x": 1')
    uninstall(site, NOW)

    assert json.loads(text(site)) == THEIRS


def test_status_tells_what_there_is(site: Site) -> None:
    found = status(site)

    assert (found.exists, found.installed, found.script) == (True, False, "missing")
    assert next(one.others for one in found.events if one.event == "Stop") == 1


def test_status_counts_what_waits_in_the_spool(site: Site) -> None:
    install(site, NOW)
    (Path(site.spool) / "2026-01-01.spool").write_bytes(b"x" * 10)

    assert (status(site).spool_files, status(site).spool_bytes) == (1, 10)


def test_a_switch_is_seen_wherever_it_is_set(site: Site, tmp_path: Path) -> None:
    Path(site.settings).write_text('{"disableAllHooks": true}')
    managed, broken = tmp_path / "managed.json", tmp_path / "broken.json"
    managed.write_text('{"allowManagedHooksOnly": true}')
    broken.write_text("{")
    found = status(site, [str(tmp_path / "none"), str(broken), str(managed)]).switches

    assert [(Path(one.path).name, one.name) for one in found] == [
        ("settings.json", "disableAllHooks"),
        ("managed.json", "allowManagedHooksOnly"),
    ]


CHANGING: Final = """
import sys
from unspool.source.installer import Site, install, uninstall
site = Site(*sys.argv[1:])
print(flush=True)
for now in range(10**9):
    install(site, now)
    uninstall(site, now)
"""


def killed(site: Site, after: float) -> None:
    """Install and uninstall over and over, until somebody pulls the plug."""
    command = [sys.executable, "-c", CHANGING, site.settings, site.home, site.python]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as running:
        assert running.stdout
        running.stdout.readline()
        sleep(after)
        running.send_signal(signal.SIGKILL)


@pytest.mark.parametrize(
    "times", [pytest.param(3, id="a few"), pytest.param(200, id="many", marks=pytest.mark.slow)]
)
def test_whoever_is_killed_leaves_the_old_or_the_new(site: Site, times: int) -> None:
    without = Path(site.settings).read_bytes()
    install(site, NOW)
    whole = {without, Path(site.settings).read_bytes()}
    chance = random.Random(times)
    seen = set()
    for _ in range(times):
        killed(site, chance.uniform(0, 0.03))
        seen.add(Path(site.settings).read_bytes())

    assert seen <= whole
    uninstall(site, NOW)
    assert Path(site.settings).read_bytes() == without
