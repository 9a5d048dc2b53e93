import json
from pathlib import Path

import pytest

from tests.cli.runs import here, process
from tests.source.firing import PYTHON
from unspool.cli import hooks
from unspool.source.settings import WANTED


@pytest.fixture
def settings(home: Path) -> Path:
    """Where Claude Code keeps the settings of this home."""
    return home / ".claude" / "settings.json"


def test_hooks_come_and_go(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "hooks", "install")

    assert said == (0, f"Installed hooks for 32 events in {settings}.\n", "")
    assert tuple(json.loads(settings.read_text())["hooks"]) == WANTED
    assert here(capsys, "hooks", "uninstall").code == 0
    assert not settings.exists()


def test_the_command_is_the_python_below_and_the_home_we_have(
    home: Path, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "hooks", "install")
    entry = json.loads(settings.read_text())["hooks"]["Stop"][0]["hooks"][0]

    ours = home / "unspool"
    assert entry["command"].startswith(f"{PYTHON} -I -S {ours}/unspool-hook.py {ours}/spool ")


def test_a_config_directory_is_respected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{tmp_path / 'mine'},{tmp_path / 'other'}")
    here(capsys, "hooks", "install")

    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert (tmp_path / "mine" / "settings.json").exists()


def test_another_file_can_be_named(
    tmp_path: Path, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "hooks", "install", "--settings", tmp_path / "mine.json")

    assert "hooks" in json.loads((tmp_path / "mine.json").read_text())
    assert not settings.exists()


def test_a_dry_run_shows_a_patch_and_does_nothing(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "hooks", "install", "--dry-run")

    assert said.out.startswith(f"--- /dev/null\n+++ {settings}\n@@ ")
    assert not settings.exists()
    assert here(capsys, "hooks", "uninstall", "--dry-run").out == "No change.\n"


def test_a_change_is_told_as_json(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings.parent.mkdir()
    settings.write_text("{}")
    said = json.loads(here(capsys, "hooks", "install", "--json").out)

    assert (said["action"], said["changed"], said["dryRun"]) == ("install", True, False)
    assert said["settings"] == str(settings)
    assert Path(said["backup"]).read_text() == "{}"
    assert said["diff"].startswith(f"--- {settings}\n")


def test_status_is_told_as_json(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "hooks", "install")
    said = json.loads(here(capsys, "hooks", "status", "--json").out)

    assert (said["installed"], said["script"], said["spoolFiles"]) == (True, "current", 0)
    assert said["events"][0] == {"event": "PreToolUse", "state": "installed", "others": 0}
    assert len(said["events"]) == 33


def test_alone_it_tells_how_things_stand(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "hooks")

    assert said.code == 0
    assert said.out.startswith(f"settings  {settings} (no such file)\nhooks     not installed;")


def test_what_cannot_be_read_is_refused_in_a_sentence(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.parent.mkdir()
    settings.write_text("{,}")
    said = here(capsys, "hooks", "install")

    assert said.code == 1
    assert said.err.startswith(f"unspool: {settings} is not JSON: ")
    assert settings.read_text() == "{,}"


def test_a_switch_that_stops_hooks_is_told_at_once(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')

    assert "disableAllHooks in" in here(capsys, "hooks", "install").out


def test_the_doctor_is_told_whether_there_are_hooks(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (before,) = hooks.findings()
    here(capsys, "hooks", "install")
    (after,) = hooks.findings()

    assert (before.grade, before.fix) == ("note", "unspool hooks install")
    assert (after.grade, after.fix) == ("ok", "")


def test_the_doctor_is_told_of_what_keeps_hooks_from_running(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')
    here(capsys, "hooks", "install")
    (found,) = hooks.findings()

    assert found.grade == "note"
    assert found.details[0].startswith("disableAllHooks in ")


def test_the_doctor_is_told_of_settings_nobody_can_read(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text("{,}")
    (found,) = hooks.findings()

    assert found.grade == "wrong"


def test_an_unknown_action_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "hooks", "remove").code == 2


def test_it_runs_as_a_command(settings: Path) -> None:
    assert process("hooks", "install").code == 0
    assert settings.exists()
