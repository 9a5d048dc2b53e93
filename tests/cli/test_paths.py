from pathlib import Path

import pytest

from unspool.cli import config, paths
from unspool.cli.paths import unspool_home


def test_the_home_is_the_one_other_commands_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unspool_home() == str(config.unspool_home())
    monkeypatch.delenv("UNSPOOL_HOME")
    assert unspool_home() == str(config.unspool_home())


@pytest.mark.parametrize("data", ["", " "])
def test_without_a_data_directory_it_is_in_the_home(
    data: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNSPOOL_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", data)

    assert (
        unspool_home() == str(home / ".local" / "share" / "unspool") == str(config.unspool_home())
    )


def test_the_environment_names_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))

    assert [place.path for place in paths.scope().places] == [str(tmp_path)]


def test_a_named_root_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_ROOT", "/elsewhere")

    assert [place.path for place in paths.scope([str(tmp_path)]).places] == [str(tmp_path)]
