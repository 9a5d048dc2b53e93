"""The app: its routes, and the access policy in front of it. A new route is added here."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

from litestar import Litestar, Response
from litestar.concurrency import sync_to_thread
from litestar.config.compression import CompressionConfig
from litestar.di import Provide
from litestar.types import AfterRequestHookHandler
from msgspec import Struct

from unspool import __version__
from unspool.serve import openapi
from unspool.serve.api import (
    cost,
    events,
    export,
    lines,
    live,
    projects,
    search,
    session_views,
    sessions,
    status,
)
from unspool.serve.auth import sign_in
from unspool.serve.auth.middleware import MAX_SOCKETS, AuthMiddleware
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.context import ServerContext
from unspool.serve.live import Live
from unspool.serve.pages import PAGES
from unspool.serve.pages.response import error_handler
from unspool.show.html import render

ROUTES = (
    status.status,
    cost.cost,
    sign_in.enter,
    sign_in.enter_form,
    sign_in.invite,
    sign_in.log_out,
    sign_in.script,
    sign_in.style,
    events.agent_events,
    events.events,
    events.full_event,
    events.hand_in,
    events.main_events,
    export.export,
    status.health,
    status.index,
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
    session_views.context,
    session_views.metrics,
    session_views.raw,
    session_views.tools,
    session_views.turns,
    session_views.waterfall,
    *PAGES,
)


def _cleaning(context: ServerContext) -> AfterRequestHookHandler:
    """Whatever leaves is cleaned here, so that no route can forget to.

    A route that must show a secret has an `after_request` of its own instead; one that makes
    text (a page, a file) or keeps what it wrote cleans that itself.
    """

    async def cleaned(response: Response[Any]) -> Response[Any]:
        if isinstance(response.content, Struct):
            response.content = await sync_to_thread(context.responses.encode, response.content)
        return response

    return cleaned


@asynccontextmanager
async def loading_templates(_: Litestar) -> AsyncIterator[None]:
    """Load the templates beside the first requests, so that the first page is not slow."""
    Thread(target=render.load_templates, name="templates", daemon=True).start()
    yield


def _renewed(context: ServerContext) -> ServerContext:
    """The context as a request finds it: nothing in memory is of a session that was forgotten."""
    context.renewal.check()
    return context


def app(context: ServerContext, policy: AccessPolicy) -> Litestar:
    """Every route, without authentication."""
    structs, lively = openapi.StructSchemas(), Live(context)
    return Litestar(
        ROUTES,
        dependencies={
            "context": Provide(lambda: _renewed(context), sync_to_thread=False),
            "policy": Provide(lambda: policy, sync_to_thread=False),
            "live": Provide(lambda: lively, sync_to_thread=False),
        },
        lifespan=[lively.running, loading_templates],
        after_request=_cleaning(context),
        exception_handlers={Exception: error_handler(context)},
        # The quickest: it runs between the answers of everybody. Pictures are packed already.
        compression_config=CompressionConfig(
            backend="gzip", gzip_compress_level=1, minimum_size=1_024, exclude="^/api/blob/"
        ),
        openapi_config=openapi.config(__version__, structs),
        plugins=[structs],
        logging_config=None,
        debug=False,
    )


def guarded(
    context: ServerContext, policy: AccessPolicy, *, sockets: int = MAX_SOCKETS
) -> AuthMiddleware:
    """The app behind its access policy, with at most so many WebSockets at once."""
    return AuthMiddleware(app(context, policy), policy, sockets=sockets)
