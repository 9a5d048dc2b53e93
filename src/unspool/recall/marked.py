"""Marks and rows -> the rows as their reader wants them: renamed, pinned, hidden."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import structs

from unspool.model.api import Marks, SessionItem
from unspool.model.board import Board, BoardRow
from unspool.model.document import SessionInfo
from unspool.model.listing import SessionSummary

AllMarks: TypeAlias = Mapping[tuple[str, str], Marks]


def marked_info(info: SessionInfo, marks: Marks | None) -> SessionInfo:
    """A session under the name its reader gave it."""
    return structs.replace(info, title=marks.title) if marks and marks.title else info


def marked_row(row: SessionSummary, marks: AllMarks) -> SessionItem:
    """A row of a list with what was decided about it."""
    mark = marks.get((row.session.project_id, row.session.id))
    values = {name: getattr(row, name) for name in SessionSummary.__struct_fields__}
    values["session"] = marked_info(row.session, mark)
    return SessionItem(
        **values, pinned=mark is not None and mark.pinned, hidden=mark is not None and mark.hidden
    )


def marked_board(board: Board, marks: AllMarks) -> Board:
    """The board without what is hidden; what waits for approval is never hidden."""
    if not marks:
        return board
    rows = ((row, marks.get((row.session.project_id, row.session.id))) for row in board.rows)
    shown = (
        structs.replace(row, session=marked_info(row.session, mark))
        for row, mark in rows
        if not _is_hidden(row, mark)
    )
    return structs.replace(board, rows=tuple(shown))


def _is_hidden(row: BoardRow, mark: Marks | None) -> bool:
    waits = row.session.status.state == "waiting_for_approval"
    return mark is not None and mark.hidden and not waits
