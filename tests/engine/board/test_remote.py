"""The board of sessions of other machines."""

from pathlib import Path

from tests.engine.roots import NOW, PRICES
from unspool.engine.board.remote import RemoteBoard
from unspool.engine.sessions.indexed_roots import IndexedRoots
from unspool.model.document import SessionInfo
from unspool.model.session import BoardRow
from unspool.store.memory import MemoryStore


def row(id: str, at: str) -> BoardRow:
    return BoardRow(session=SessionInfo(id=id, project_id="laptop~-repo", end_time=at))


def test_rows_are_those_that_machines_send_newest_first(tmp_path: Path) -> None:
    rows = [row("old", "2026-01-05T10:00:00Z"), row("new", "2026-01-05T11:00:00Z")]
    source = IndexedRoots(
        home=tmp_path,
        roots=(),
        has_files=False,
        prices=PRICES,
        store=MemoryStore(),
        now=lambda: NOW,
    )
    board = RemoteBoard(source, lambda: rows)
    shown, at = board.current(), board.changed_at

    assert [one.session.id for one in shown.rows] == ["new", "old"]
    assert (shown.at, board.changed_at) == (NOW, at)
    rows = rows[1:]
    assert board.changed_at > at
    assert [one.session.id for one in board.current().rows] == ["new"]
