"""Marks of the user, applied to a board: titles, and hidden sessions; and groups of projects."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import structs

from unspool.engine.sessions.grouping import Grouping
from unspool.model.api import Marks
from unspool.model.document import SessionInfo
from unspool.model.session import Board, BoardRow

AllMarks: TypeAlias = Mapping[tuple[str, str], Marks]


def apply_marks(board: Board, marks: AllMarks, groups: Grouping) -> Board:
    """The board with the user's titles and without hidden rows; waiting ones always stay.

    Each row says which project its checkout belongs to.
    """
    rows = ((row, marks.get((row.session.project_id, row.session.id))) for row in board.rows)
    shown = (
        structs.replace(row, session=_named(row.session, mark, groups))
        for row, mark in rows
        if not _is_hidden(row, mark)
    )
    return structs.replace(board, rows=tuple(shown))


def _is_hidden(row: BoardRow, mark: Marks | None) -> bool:
    waits = row.session.status.state == "waiting_for_approval"
    return mark is not None and mark.hidden and not waits


def _named(info: SessionInfo, mark: Marks | None, groups: Grouping) -> SessionInfo:
    title = mark.title if mark and mark.title else info.title
    return structs.replace(info, title=title, project_group=groups.of(info.project_id))
