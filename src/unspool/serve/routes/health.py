"""`/api/health` and `/api/index`: how the server is, and how far the index has come."""

from litestar import get
from litestar.di import NamedDependency

from unspool.model.health import IndexStatus
from unspool.serve.answers import Health
from unspool.serve.desk import Desk


@get("/api/health", operation_id="getHealth", sync_to_thread=True)
def health(desk: NamedDependency[Desk]) -> Health:
    """Whether all is well, and what is not."""
    return desk.health()


@get("/api/index", operation_id="getIndex", sync_to_thread=True)
def index(desk: NamedDependency[Desk]) -> IndexStatus:
    """What the index holds, and what still lies in files."""
    return desk.index()
