"""`/api/status`: the board. `/api/health` and `/api/index`: the state of server and index."""

from litestar import get
from litestar.di import NamedDependency

from unspool.model.health import Health, IndexStatus
from unspool.model.session import Board
from unspool.serve.desk import Desk


@get("/api/status", operation_id="getStatus", sync_to_thread=True)
def status(desk: NamedDependency[Desk]) -> Board:
    """Every active or recent session: what it does, what it waits for, what it spends."""
    return desk.boards.board()


@get("/api/health", operation_id="getHealth", sync_to_thread=True)
def health(desk: NamedDependency[Desk]) -> Health:
    """Whether the server works, and what is wrong if not."""
    return desk.health.health()


@get("/api/index", operation_id="getIndex", sync_to_thread=True)
def index(desk: NamedDependency[Desk]) -> IndexStatus:
    """What the index holds, and what it has not read yet."""
    return desk.health.index()
