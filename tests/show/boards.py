"""Boards for tests: sessions by their status, each a minute apart."""

from typing import Any

from unspool.model.document import Evidence, SessionInfo, Status, StatusName
from unspool.model.session import Board, BoardRow, BoardSpend

NOW = 1_794_786_900_000  # 2026-11-15T23:55:00Z


def row(
    name: str,
    state: StatusName = "working",
    *,
    since: str = "2026-11-15T23:50:00.000Z",
    evidence: Evidence = "hook",
    cost: float | None = 1.0,
    session: dict[str, Any] | None = None,
    **fields: Any,
) -> BoardRow:
    """A session of a project of the same name."""
    info = {
        "id": f"id-{name}",
        "project_id": f"-dev-{name}",
        "project_name": name,
        "title": f"Title of {name}",
        "end_time": since,
        **(session or {}),
    }
    return BoardRow(
        session=SessionInfo(status=Status(state, since, evidence), **info),
        **{"today": BoardSpend(tokens=1_000, cost_usd=cost), **fields},
    )


def board(*rows: BoardRow, **fields: Any) -> Board:
    """These sessions, now."""
    return Board(at=NOW, rows=rows, **fields)
