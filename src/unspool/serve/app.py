"""A desk and a door -> the app; whoever adds a route adds it to the list here."""

from typing import Any

from litestar import Litestar, Response
from litestar.concurrency import sync_to_thread
from litestar.config.compression import CompressionConfig
from litestar.di import Provide
from litestar.types import AfterRequestHookHandler
from msgspec import Struct

from unspool import __version__
from unspool.serve import schema
from unspool.serve.desk import Desk
from unspool.serve.door import Door, Guard
from unspool.serve.live import Live
from unspool.serve.pages import PAGES, problems
from unspool.serve.pages.ready import readying
from unspool.serve.routes import (
    boards,
    costs,
    enter,
    events,
    exports,
    health,
    lines,
    live,
    projects,
    search,
    sessions,
    views,
)

ROUTES = (
    boards.status,
    costs.cost,
    enter.enter,
    enter.invite,
    enter.script,
    enter.style,
    events.agent_events,
    events.events,
    events.full_event,
    events.hand_in,
    events.main_events,
    exports.export,
    health.health,
    health.index,
    lines.blob,
    lines.reveal,
    live.dashboard,
    projects.project_sessions,
    projects.projects,
    search.search,
    sessions.mark,
    sessions.session,
    sessions.sessions,
    sessions.subagent,
    views.context,
    views.metrics,
    views.raw,
    views.tools,
    views.turns,
    views.waterfall,
    *PAGES,
)


def _cleaning(desk: Desk) -> AfterRequestHookHandler:
    """Whatever leaves is cleaned here, so that no route can forget to.

    A route that must show a secret has an `after_request` of its own instead; one that makes
    text (a page, a file) or keeps what it wrote cleans that itself.
    """

    async def cleaned(response: Response[Any]) -> Response[Any]:
        if isinstance(response.content, Struct):
            response.content = await sync_to_thread(desk.written.clean, response.content)
        return response

    return cleaned


def app(desk: Desk, door: Door) -> Litestar:
    """Every route, without the door: for those who only want to see what there is."""
    structs, lively = schema.Structs(), Live(desk)
    return Litestar(
        ROUTES,
        dependencies={
            "desk": Provide(lambda: desk, sync_to_thread=False),
            "door": Provide(lambda: door, sync_to_thread=False),
            "live": Provide(lambda: lively, sync_to_thread=False),
        },
        lifespan=[lively.running, readying],
        after_request=_cleaning(desk),
        exception_handlers={Exception: problems.pages(desk)},
        # The quickest: it runs between the answers of everybody. Pictures are packed already.
        compression_config=CompressionConfig(
            backend="gzip", gzip_compress_level=1, minimum_size=1_024, exclude="^/api/blob/"
        ),
        openapi_config=schema.config(__version__, structs),
        plugins=[structs],
        logging_config=None,
        debug=False,
    )


def guarded(desk: Desk, door: Door) -> Guard:
    """What is served."""
    return Guard(app(desk, door), door)
