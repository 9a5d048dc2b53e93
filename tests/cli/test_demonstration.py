import os
import tempfile
import time
from pathlib import Path

import pytest

from tests.waiting import until
from unspool.cli import config
from unspool.cli.demo_quota import demo_home
from unspool.cli.demonstration import demonstration
from unspool.cli.supervisor import Shutdown
from unspool.engine.board.feed import board_query, current_board
from unspool.engine.quota import latest_quota


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_there_are_sessions_and_four_are_running(tmp_path: Path) -> None:
    with demonstration(Shutdown()) as demo:
        made = demo.root
        past = len(list(made.glob("projects/*/*.jsonl")))
        assert past > 20
        assert until(lambda: len(list(made.glob("projects/*/*.jsonl"))) == past + 4)
        assert until(lambda: len(list(made.glob("sessions/*.json"))) == 4)
        assert (config.unspool_home()).is_relative_to(tmp_path)


def test_it_has_usage_limits_from_the_beginning() -> None:
    with demonstration(Shutdown()) as demo:
        assert latest_quota(str(demo_home(demo.root)))  # before its sessions run
        stores = config.open_stores([str(demo.root)])
        board = current_board(board_query(stores))

    assert board.quota.five_hour
    assert board.quota.seven_day


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


def test_the_past_is_made_within_two_seconds() -> None:
    before = time.process_time()
    with demonstration(Shutdown()) as demo:
        took = time.process_time() - before
        assert len(demo.tour) == 5

    assert took < 2
