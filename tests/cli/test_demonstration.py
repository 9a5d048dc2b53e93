import os
import tempfile
from pathlib import Path

import pytest

from tests.waiting import until
from unspool.cli import config
from unspool.cli.demonstration import demonstration
from unspool.cli.supervisor import Shutdown


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_there_are_sessions_and_one_is_being_written(tmp_path: Path) -> None:
    with demonstration(Shutdown()) as demo:
        made = demo.root
        assert until(lambda: list(made.glob("projects/*live*/*.jsonl")))
        assert len(list(made.glob("projects/*/*.jsonl"))) > 3
        assert (config.unspool_home()).is_relative_to(tmp_path)


def test_afterwards_nothing_is_left_and_the_readers_own_files_are_in_use_again(
    tmp_path: Path, home: Path
) -> None:
    with demonstration(Shutdown()):
        pass

    assert list(tmp_path.iterdir()) == []
    assert config.unspool_home() == home / "unspool"


def test_a_home_that_was_never_named_is_unnamed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNSPOOL_HOME")
    with demonstration(Shutdown()):
        pass

    assert "UNSPOOL_HOME" not in os.environ


def test_it_can_be_removed_at_once(tmp_path: Path) -> None:
    with demonstration(Shutdown()) as demo:
        demo.remove()

        assert list(tmp_path.iterdir()) == []
        assert demo.player.pid is None
