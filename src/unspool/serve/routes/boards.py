"""`/api/status`: the board."""

from litestar import get
from litestar.di import NamedDependency

from unspool.model.session import Board
from unspool.serve.desk import Desk


@get("/api/status", operation_id="getStatus", sync_to_thread=True)
def status(desk: NamedDependency[Desk]) -> Board:
    """Every session that is at work or was lately: what it does, waits for and spends."""
    return desk.boards.board()
