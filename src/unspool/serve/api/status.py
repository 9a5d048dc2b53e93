"""`/api/status`: the board. `/api/health` and `/api/index`: the state of server and index."""

from litestar import get
from litestar.di import NamedDependency

from unspool.model.health import Health, IndexStatus
from unspool.model.session import Board
from unspool.serve.context import ServerContext


@get("/api/status", operation_id="getStatus", sync_to_thread=True)
def status(context: NamedDependency[ServerContext]) -> Board:
    """Every active or recent session: what it is doing, waiting for and spending."""
    return context.board.current()


@get("/api/health", operation_id="getHealth", sync_to_thread=True)
def health(context: NamedDependency[ServerContext]) -> Health:
    """Whether the server works, and what is wrong if not."""
    return context.health.health()


@get("/api/index", operation_id="getIndex", sync_to_thread=True)
def index(context: NamedDependency[ServerContext]) -> IndexStatus:
    """What the index holds, and what it has not read yet."""
    return context.health.index()
