"""The app: its routes, and the access policy in front of it. A new route is added here."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any, Final, NamedTuple

from litestar import Litestar, Response
from litestar.concurrency import sync_to_thread
from litestar.di import Provide
from litestar.types import AfterRequestHookHandler, Scope
from msgspec import Struct

from unspool import __version__
from unspool.serve import openapi
from unspool.serve.api import (
    cost,
    events,
    export,
    files,
    lines,
    live,
    machines,
    projects,
    search,
    session_views,
    sessions,
    status,
)
from unspool.serve.auth import sign_in
from unspool.serve.auth.middleware import MAX_SOCKETS, AuthMiddleware
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.compression import compression
from unspool.serve.context import ServerContext
from unspool.serve.live import Live
from unspool.serve.pages import PAGES
from unspool.serve.pages.response import error_handler
from unspool.show.html import render

VIEW: Final = "unspool.view"  # in a scope: what its visitor sees

ROUTES = (
    status.status,
    cost.cost,
    sign_in.enter,
    sign_in.enter_form,
    sign_in.enter_page,
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
    files.files,
    status.health,
    status.index,
    lines.blob,
    lines.reveal,
    live.dashboard,
    machines.audit,
    machines.machine,
    machines.machines,
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


class View(NamedTuple):
    """What one visitor sees, and what tells them of news; nothing of it is anybody else's."""

    context: ServerContext
    live: Live


@asynccontextmanager
async def loading_templates(_: Litestar) -> AsyncIterator[None]:
    """Load the templates beside the first requests, so that the first page is not slow."""
    Thread(target=render.load_templates, name="templates", daemon=True).start()
    yield


@asynccontextmanager
async def keeping(_: Litestar) -> AsyncIterator[None]:
    """What a server is made of stays: looking through it again and again would delay answers."""
    gc.freeze()
    yield


def _renewed(context: ServerContext) -> ServerContext:
    """The context as a request finds it: nothing in memory is of a session that was forgotten."""
    context.renewal.check()
    return context


def app(context: ServerContext, policy: AccessPolicy, *, is_shared: bool = False) -> Litestar:
    """Every route, without authentication.

    Where it is shared, each request says in its scope what its visitor sees, and the context is
    for what all answers have in common.
    """
    structs = openapi.StructSchemas()
    own = None if is_shared else View(context, Live(context))

    def view(scope: Scope) -> View:
        return own or scope[VIEW]  # type: ignore[typeddict-item]

    def context_of(scope: Scope) -> ServerContext:
        return _renewed(view(scope).context)

    def live_of(scope: Scope) -> Live:
        return view(scope).live

    return Litestar(
        ROUTES,
        dependencies={
            "context": Provide(context_of, sync_to_thread=False),
            "policy": Provide(lambda: policy, sync_to_thread=False),
            "live": Provide(live_of, sync_to_thread=False),
        },
        lifespan=[*([own.live.running] if own else []), keeping, loading_templates],
        after_request=_cleaning(context),
        exception_handlers={Exception: error_handler(context)},
        compression_config=compression(),
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
