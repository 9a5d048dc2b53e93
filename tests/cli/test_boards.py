from pathlib import Path
from threading import Event

import pytest

from tests.cli.lively import lively, register
from tests.cli.runs import here
from unspool.cli import config
from unspool.cli.boards import board_query, boards, current_board, midnight, spent_since
from unspool.model.session import Board
from unspool.show.board_view import board_alerts


def states(board: Board) -> dict[str, str]:
    return {row.session.id: row.session.status.state for row in board.rows}


def test_a_board_is_of_the_roots_that_are_named(tmp_path: Path) -> None:
    lively("mine").user("hello").save(tmp_path / "root")
    lively("other").user("hello").save(tmp_path / "elsewhere")

    assert set(states(current_board(board_query([str(tmp_path / "root")], print)))) == {"mine"}


def test_a_new_board_comes_when_something_changes(tmp_path: Path) -> None:
    lively("session-one").user("hello").save(tmp_path)
    stop = Event()
    found = boards(board_query([str(tmp_path)], print), stop)
    first = next(found)
    register(tmp_path, "session-one", "waiting")
    later = next(board for board in found if states(board) != states(first))
    stop.set()

    assert states(first) == {"session-one": "working"}
    assert states(later) == {"session-one": "waiting_for_approval"}


def test_what_ended_sessions_cost_today_comes_from_the_index(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lively("session-one").user("hello").says("hi", id="m1").save(tmp_path)
    here(capsys, "index", "build", "--root", tmp_path)
    found = spent_since(str(home / "unspool" / "index.db"), midnight(config.now() - 60_000))

    assert [name for name, _ in found.items()] == [("-home-dev-kettle", "session-one")]
    assert all(spend.tokens == 15 and spend.cost_usd for spend in found.values())


def test_an_index_that_cannot_be_read_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database")

    assert spent_since(str(tmp_path / "index.db"), 0) == {}
    assert spent_since(str(tmp_path / "none.db"), 0) == {}


def test_today_begins_at_midnight_on_this_clock() -> None:
    assert midnight(1_794_786_900_000) == 1_794_700_800_000  # tests live in UTC


def test_an_alert_is_passed_on_to_the_command_once(tmp_path: Path, home: Path) -> None:
    (home / "unspool").mkdir()
    (home / "unspool" / "unspool.toml").write_text(
        '[[alerts]]\nname = "dear"\nwhen = "tokens"\nabove = 10\nof = "session"\n'
        f'[notify]\ncommand = ["sh", "-c", "cat >> {tmp_path}/told"]\n'
    )
    talk = lively("session-one").user("hello")
    path = talk.save(tmp_path / "root")
    stop = Event()
    found = boards(board_query([str(tmp_path / "root")], print), stop)
    next(found)
    talk.says("hi").write(path)
    shown = next(board for board in found if board_alerts(board))
    stop.set()
    assert list(found) == []

    assert [one.rule for one in board_alerts(shown)] == ["dear"]
    assert (tmp_path / "told").read_text().count('"rule":"dear"') == 1


def test_settings_that_cannot_be_used_are_told(tmp_path: Path, home: Path) -> None:
    (home / "unspool").mkdir()
    (home / "unspool" / "unspool.toml").write_text("nonsense = 1\n")
    lively("session-one").user("hello").save(tmp_path)
    said: list[str] = []
    board_query([str(tmp_path)], said.append)

    assert "there is no setting 'nonsense'" in said[0]
