"""The file that starts the daemon at login; `systemctl` is a program that notes its arguments."""

import json
import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.cli.runs import Said, here, process
from tests.waiting import until
from unspool.cli.autostart import UNIT, startup_file
from unspool.errors import UnspoolError

NOTES = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["NOTED"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
if os.environ.get("SAYS"):
    print(os.environ["SAYS"], file=sys.stderr)
    sys.exit(1)
"""
RELOAD, ENABLE = ["--user", "daemon-reload"], ["--user", "enable", "--now", UNIT]
DISABLE = ["--user", "disable", "--now", UNIT]


class Desk:
    """A user's programs and configuration."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._noted = place / "noted"
        self.bin = place / "bin"
        self.bin.mkdir()
        self.config = Path(os.environ["XDG_CONFIG_HOME"])
        self.unit = self.config / "systemd" / "user" / UNIT
        monkeypatch.setenv("PATH", str(self.bin))
        monkeypatch.setenv("NOTED", str(self._noted))
        self.has("systemctl")

    def has(self, name: str) -> None:
        program = self.bin / name
        program.write_text(NOTES)
        program.chmod(0o755)

    @property
    def noted(self) -> list[list[str]]:
        lines = self._noted.read_text().splitlines() if self._noted.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def daemon(capsys: pytest.CaptureFixture[str], *args: str | Path) -> Said:
    return here(capsys, "index", "daemon", *args)


def test_install_writes_the_unit_and_has_systemd_start_it(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    said = daemon(capsys, "install")

    assert said.out == (f"Wrote {desk.unit}. The daemon is running, and starts at every login.\n")
    assert desk.noted == [RELOAD, ENABLE]
    words = f'"{sys.executable}" "-P" "-m" "unspool" "index" "watch" "--daemon"'
    assert f"\nExecStart={words}\n" in desk.unit.read_text()


def test_a_second_install_changes_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    daemon(capsys, "install")
    before = desk.unit.stat().st_ino
    said = daemon(capsys, "install")

    assert said.out.startswith("Already installed: ")
    assert desk.unit.stat().st_ino == before
    assert desk.noted == [RELOAD, ENABLE] * 2


def test_uninstall_removes_what_was_installed_and_nothing_else(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    other = desk.unit.with_name("other.service")
    other.parent.mkdir(parents=True)
    other.write_text("[Service]\n")
    daemon(capsys, "install")
    said = daemon(capsys, "uninstall")

    assert said.out.startswith(f"Removed {desk.unit}. ")
    assert [path.name for path in desk.unit.parent.iterdir()] == ["other.service"]
    assert desk.noted[2:] == [DISABLE, RELOAD]


def test_what_is_not_installed_is_not_removed(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    said = daemon(capsys, "uninstall")

    assert (said.code, said.out) == (0, f"Not installed: there is no {desk.unit}.\n")
    assert desk.noted == []


@pytest.mark.parametrize("what", ["install", "uninstall"])
def test_a_unit_of_somebody_else_stays(
    what: str, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.unit.parent.mkdir(parents=True)
    desk.unit.write_text("[Service]\nExecStart=/bin/true\n")
    said = daemon(capsys, what)

    assert said.code == 1
    assert "was not written by unspool" in said.err
    assert desk.unit.read_text() == "[Service]\nExecStart=/bin/true\n"


def test_a_dry_run_only_prints(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    said = daemon(capsys, "install", "--dry-run")

    assert said.out.startswith(f"Would write {desk.unit}\n  # Written by")
    reload, enable = (shlex.join(["systemctl", *words]) for words in (RELOAD, ENABLE))
    assert said.out.endswith(f"and run\n  {reload}\n  {enable}\n")
    assert not desk.config.exists()
    assert desk.noted == []


def test_a_dry_run_of_uninstall_only_prints(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    daemon(capsys, "install")
    said = daemon(capsys, "uninstall", "--dry-run")

    assert said.out.startswith(f"Would remove {desk.unit}\nand run\n")
    assert desk.unit.exists()
    assert desk.noted == [RELOAD, ENABLE]


def test_where_systemd_does_not_answer_it_says_what_to_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SAYS", "Failed to connect to bus: No medium found")
    said = daemon(capsys, "install")

    assert said.out == (
        f"Wrote {desk.unit}. systemctl reports: Failed to connect to bus: No medium found. "
        "To start the daemon, run: systemctl --user daemon-reload && "
        f"systemctl --user enable --now {UNIT}\n"
    )
    assert desk.noted == [RELOAD]


def test_where_there_is_no_systemctl_it_says_what_to_run(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk.bin / "systemctl").unlink()
    answer = json.loads(daemon(capsys, "install", "--json").out)

    assert answer == {
        "path": str(desk.unit),
        "changed": True,
        "running": False,
        "run": [shlex.join(["systemctl", *words]) for words in (RELOAD, ENABLE)],
    }


def test_a_daemon_that_runs_already_makes_room(
    desk: Desk, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = root(tmp_path / "root")
    process("index", "daemon", "start", "--root", place)
    try:
        daemon(capsys, "install", "--root", place)

        assert until(lambda: not (home / "unspool" / "daemon.json").exists())
    finally:
        process("index", "daemon", "stop", "--root", place)


def test_a_daemon_goes_on_where_systemd_does_not_answer(
    desk: Desk,
    tmp_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = root(tmp_path / "root")
    process("index", "daemon", "start", "--root", place)
    try:
        monkeypatch.setenv("SAYS", "no")
        daemon(capsys, "install", "--root", place)

        found = json.loads(process("index", "daemon", "status", "--json", "--root", place).out)
        assert found["running"]
    finally:
        process("index", "daemon", "stop", "--root", place)


HOSTILE = '/tmp/a "b" \\c %h $HOME é'


def test_the_unit_has_the_variables_that_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"UNSPOOL_HOME": HOSTILE, "CLAUDE_CONFIG_DIR": "/x,rel", "XDG_CONFIG_HOME": "/c"}
    monkeypatch.chdir("/tmp")
    text = startup_file([], env, "linux").text.decode()

    assert 'Environment="UNSPOOL_HOME=/tmp/a \\"b\\" \\\\c %%h $HOME é"\n' in text
    assert 'Environment="CLAUDE_CONFIG_DIR=/x,/tmp/rel"\n' in text
    assert text.count("Environment=") == 2


def test_a_root_is_quoted_in_the_command() -> None:
    text = startup_file([HOSTILE], {}, "linux").text.decode()

    assert '"--root" "/tmp/a \\"b\\" \\\\c %%h $$HOME é"\n' in text


def test_systemd_itself_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    checker = shutil.which("systemd-analyze") or pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / UNIT
    file = startup_file([HOSTILE], {"UNSPOOL_HOME": HOSTILE}, "linux")
    unit.write_bytes(file.text)
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        [checker, "--user", "verify", unit], env=env, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_launchd_gets_the_command_and_the_variables(home: Path) -> None:
    file = startup_file([HOSTILE], {"UNSPOOL_HOME": HOSTILE}, "darwin")
    content = plistlib.loads(file.text)

    assert file.path == home / "Library" / "LaunchAgents" / "unspool.index.plist"
    assert content["ProgramArguments"][:4] == [sys.executable, "-P", "-m", "unspool"]
    assert content["ProgramArguments"][-2:] == ["--root", HOSTILE]
    assert content["EnvironmentVariables"] == {"UNSPOOL_HOME": HOSTILE}


def test_launchd_replaces_what_it_has_loaded(
    desk: Desk,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    desk.has("launchctl")
    monkeypatch.setattr(sys, "platform", "darwin")
    daemon(capsys, "install")
    daemon(capsys, "uninstall")

    place, uid = home / "Library" / "LaunchAgents", os.getuid()
    bootout = ["bootout", f"gui/{uid}/unspool.index"]
    assert desk.noted == [
        bootout, ["bootstrap", f"gui/{uid}", str(place / "unspool.index.plist")], bootout,
    ]  # fmt: skip
    assert list(place.iterdir()) == []


def test_elsewhere_it_says_which_command_to_have_run() -> None:
    with pytest.raises(UnspoolError, match="index watch --daemon"):
        startup_file([], {}, "win32")


def test_a_dry_run_is_for_installing(capsys: pytest.CaptureFixture[str]) -> None:
    assert daemon(capsys, "start", "--dry-run").code == 2
