"""The app of a hub: the routes of machines and its state, beside the pages."""

from typing import Any, Final

from litestar import Litestar, Request, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency, Provide
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from msgspec import Struct

from unspool import __version__
from unspool.errors import StoreError
from unspool.hub.lines import is_lines_path, machine_lines
from unspool.hub.machines import machine_rows
from unspool.hub.maintenance import HubMaintenance
from unspool.hub.refusals import HubRefusal
from unspool.hub.routes import machine_router, refusal_response, store_response
from unspool.hub.secondary import MachineLinks
from unspool.hub.service import HubService
from unspool.model.secondary import PATH as SECONDARY
from unspool.serve.api.parameters import client_address
from unspool.serve.auth.middleware import with_security_headers
from unspool.serve.problems import problem_response

MACHINE_PATHS: Final = frozenset(
    {"/api/enrol", "/api/ingest", "/api/ingest/state", "/api/hub", SECONDARY}
)


_TROUBLE: Final = "The hub's upkeep has failed and is tried again; its log and its admins know why."


class HubStatus(Struct, frozen=True, kw_only=True, rename="camel"):
    """How a hub is; `waiting_texts` are lines that searches do not find yet."""

    status: str
    version: str
    machines: int
    waiting_texts: int
    trouble: tuple[str, ...] = ()


@get("/api/hub")
async def hub_status(
    request: Request[Any, Any, Any],
    service: NamedDependency[HubService],
    maintenance: NamedDependency[HubMaintenance],
) -> HubStatus:
    """How the hub is, for anyone who has a token; what the database says is for admins."""
    authorization = str(request.headers.get("authorization", ""))
    person = await sync_to_thread(service.person, authorization, client_address(request))
    machines = await sync_to_thread(machine_rows, service.people, service.now())
    waiting = await sync_to_thread(maintenance.waiting)
    trouble = maintenance.trouble
    return HubStatus(
        status="trouble" if trouble else "ok",
        version=__version__,
        machines=sum(one.revoked_at is None for one in machines),
        waiting_texts=waiting,
        trouble=trouble if person.role == "admin" else (_TROUBLE,) * bool(trouble),
    )


def hub_site(machines: ASGIApp, pages: ASGIApp) -> ASGIApp:
    """Routes of machines beside the pages, each behind its own checks."""

    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        kind: str = scope["type"]
        is_for_machines = kind in ("http", "websocket") and (
            scope["path"] in MACHINE_PATHS or is_lines_path(scope["path"])
        )
        await (machines if is_for_machines else pages)(scope, receive, send)

    return site


def machine_app(service: HubService, maintenance: HubMaintenance, links: MachineLinks) -> Litestar:
    """The routes of machines."""
    return Litestar(
        [machine_router(service), hub_status, machine_lines],
        dependencies={
            "service": Provide(lambda: service, sync_to_thread=False),
            "maintenance": Provide(lambda: maintenance, sync_to_thread=False),
            "links": Provide(lambda: links, sync_to_thread=False),
        },
        exception_handlers={
            HubRefusal: refusal_response,
            StoreError: store_response,
            Exception: problem_response,
        },
        openapi_config=None,
        logging_config=None,
        debug=False,
    )


def hub_app(service: HubService, maintenance: HubMaintenance, links: MachineLinks) -> ASGIApp:
    """The same, with the headers that browsers obey, and the WebSockets of machines."""
    app = machine_app(service, maintenance, links)

    async def with_headers(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_security_headers(message["headers"])
            await send(message)

        kind: str = scope["type"]
        if kind == "websocket" and scope["path"] == SECONDARY:
            await links(scope, receive, send)
        else:
            await app(scope, receive, sending)

    return with_headers
