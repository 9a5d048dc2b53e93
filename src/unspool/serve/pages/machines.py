"""`/machines`: who sends to a hub, each machine by itself, and what was done there."""

from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from unspool.serve.api.machines import (
    NameOfMachine,
    audit_page,
    fleet_of,
    machine_detail,
    machine_rows,
)
from unspool.serve.api.parameters import Cursor
from unspool.serve.auth.policy import REVOKE, ROTATE, AccessPolicy
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import page_response, page_shell
from unspool.show.html.machine_page import audit_page as audit_html
from unspool.show.html.machine_page import machine_page
from unspool.show.html.machines_page import machines_page

_AUDIT_ROWS = 100


@get("/machines", include_in_schema=False, sync_to_thread=True)
def machines(
    request: Request[Any, Any, Any], context: NamedDependency[ServerContext]
) -> Response[bytes]:
    """The machines of a hub that one may see, by name."""
    rows, fleet = machine_rows(context), fleet_of(context)
    around = page_shell(request, context, "Machines", "machines", "Machines")
    page = machines_page(rows, around, context.now(), team=fleet.team(), is_admin=fleet.is_admin)
    return page_response(request, page)


@get("/machines/{machine:str}", include_in_schema=False, sync_to_thread=True)
def machine(
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
    machine: NameOfMachine,
    ask: Annotated[Literal["", "revoke"], QueryParameter()] = "",
) -> Response[bytes]:
    """One machine; with `ask` it asks an admin before it is revoked."""
    return _machine(request, context, machine, asks=ask == "revoke")


@get("/machines/audit", include_in_schema=False, sync_to_thread=True)
def audit(
    request: Request[Any, Any, Any], context: NamedDependency[ServerContext], cursor: Cursor = ""
) -> Response[bytes]:
    """What was done on the hub, for its admins."""
    found = audit_page(context, cursor, _AUDIT_ROWS)
    around = page_shell(request, context, "Audit", "audit", "Machines")
    return page_response(
        request, audit_html(found.items, found.next_cursor or "", around, context.now())
    )


@post(REVOKE, include_in_schema=False, status_code=200)
async def revoke(
    request: Request[Any, Any, Any], context: NamedDependency[ServerContext]
) -> Response[bytes]:
    """Take nothing more from a machine, and show it again."""
    name = await _named(request)
    await sync_to_thread(fleet_of(context).revoke, name)
    location = {"location": f"/machines/{name}"}
    return Response(b"", status_code=303, headers=location)


@post(ROTATE, include_in_schema=False, status_code=200)
async def rotate(
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
    policy: NamedDependency[AccessPolicy],
) -> Response[bytes]:
    """The machine, with a code for another key, which is shown once."""
    name = await _named(request)
    code = await sync_to_thread(fleet_of(context).rotate, name)
    command = f"unspool collect --hub {policy.names.machine_url} --code {code}"
    answer = await sync_to_thread(_machine, request, context, name, command=command)
    answer.headers["cache-control"] = "no-store"
    return answer


def _machine(
    request: Request[Any, Any, Any],
    context: ServerContext,
    name: str,
    *,
    asks: bool = False,
    command: str = "",
) -> Response[bytes]:
    fleet = fleet_of(context)
    found = machine_detail(context, name)
    around = page_shell(request, context, found.machine.name, "machine", "Machines")
    may = fleet.is_admin and found.machine.revoked_at is None
    page = machine_page(
        found,
        around,
        context.now(),
        may_manage=may,
        asks=may and asks,
        command=command,
    )
    return page_response(request, page)


async def _named(request: Request[Any, Any, Any]) -> str:
    """The machine that a form names, or ""."""
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    return fields.get("machine", [""])[0]
