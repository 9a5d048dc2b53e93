from pathlib import Path
from threading import Event

from tests.cli.lively import lively, register
from unspool.cli.boards import notifying_boards, open_board
from unspool.engine.board.feed import current_board
from unspool.model.session import Board
from unspool.show.board_view import board_alerts


def states(board: Board) -> dict[str, str]:
    return {row.session.id: row.session.status.state for row in board.rows}


def test_a_board_is_of_the_roots_that_are_named(tmp_path: Path) -> None:
    lively("mine").user("hello").save(tmp_path / "root")
    lively("other").user("hello").save(tmp_path / "elsewhere")

    assert set(states(current_board(open_board([str(tmp_path / "root")], print)))) == {"mine"}


def test_a_new_board_comes_when_something_changes(tmp_path: Path) -> None:
    lively("session-one").user("hello").save(tmp_path)
    stop = Event()
    found = notifying_boards(open_board([str(tmp_path)], print), stop)
    first = next(found)
    register(tmp_path, "session-one", "waiting")
    later = next(board for board in found if states(board) != states(first))
    stop.set()

    assert states(first) == {"session-one": "working"}
    assert states(later) == {"session-one": "waiting_for_approval"}


def test_an_alert_is_passed_on_to_the_command_once(tmp_path: Path, home: Path) -> None:
    (home / "unspool").mkdir()
    (home / "unspool" / "unspool.toml").write_text(
        '[[alerts]]\nname = "dear"\nwhen = "tokens"\nabove = 10\nof = "session"\n'
        f'[notify]\ncommand = ["sh", "-c", "cat >> {tmp_path}/told"]\n'
    )
    talk = lively("session-one").user("hello")
    path = talk.save(tmp_path / "root")
    stop = Event()
    found = notifying_boards(open_board([str(tmp_path / "root")], print), stop)
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
    open_board([str(tmp_path)], said.append)

    assert "unknown setting 'nonsense'" in said[0]
