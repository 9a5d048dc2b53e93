"""`/api/machines`: who sends to a hub. `/api/audit`: what was done there, for its admins."""

from typing import Annotated, TypeAlias

from litestar import get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from unspool.errors import NotFound
from unspool.model.shipping import AuditEntry, MachineDetail, MachineRow
from unspool.serve.api.parameters import Cursor, PageSize
from unspool.serve.context import ServerContext
from unspool.serve.fleet import Fleet
from unspool.serve.pagination import Listed, decode_cursor, encode_cursor

NameOfMachine: TypeAlias = Annotated[str, PathParameter(pattern=r"^[a-z0-9-]{1,40}$")]


@get("/api/machines", operation_id="listMachines", sync_to_thread=True)
def machines(context: NamedDependency[ServerContext]) -> Listed[MachineRow]:
    """The machines of a hub that you may see, by name; a single-machine server has none."""
    return Listed(items=machine_rows(context))


@get("/api/machines/{machine:str}", operation_id="getMachine", sync_to_thread=True)
def machine(context: NamedDependency[ServerContext], machine: NameOfMachine) -> MachineDetail:
    """A machine with its projects, its quarantined rows and what it has not sent yet."""
    return machine_detail(context, machine)


@get("/api/audit", operation_id="listAudit", sync_to_thread=True)
def audit(
    context: NamedDependency[ServerContext], cursor: Cursor = "", limit: PageSize = 50
) -> Listed[AuditEntry]:
    """What people and machines did on a hub, newest first; for admins only."""
    return audit_page(context, cursor, limit)


def fleet_of(context: ServerContext) -> Fleet:
    """The machines of a hub; NotFound on a server of one machine."""
    if context.config.fleet is None:
        raise NotFound("Only a hub has machines.")
    return context.config.fleet


def machine_rows(context: ServerContext) -> tuple[MachineRow, ...]:
    """Every machine as it is now, without secrets: it says itself what its platform is."""
    return context.redactor.value(tuple(fleet_of(context).machines()))


def machine_detail(context: ServerContext, name: str) -> MachineDetail:
    """One machine as it is now, without secrets: names of projects and files are its own."""
    return context.redactor.value(fleet_of(context).machine(name))


def audit_page(context: ServerContext, cursor: str, limit: int) -> Listed[AuditEntry]:
    """A page of the audit, without secrets."""
    found = fleet_of(context).audit(decode_cursor(cursor, int), limit)
    more = encode_cursor(found[-1].id) if len(found) == limit else None
    return Listed(items=context.redactor.value(tuple(found)), next_cursor=more)
