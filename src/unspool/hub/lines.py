"""`GET /api/machines/{machine}/lines`: lines as their machine has them, asked of it at once."""

import re
from typing import Any, Final

from litestar import Request, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from unspool.hub.refusals import HubRefusal, in_http
from unspool.hub.secondary import LinesRefused, MachineAway, MachineLinks
from unspool.hub.service import HubService
from unspool.model.secondary import MOST_LINES, MOST_READ, RawPlace
from unspool.model.shipping import PersonIdentity
from unspool.serve.api.parameters import client_address
from unspool.store.postgres.live import KnownMachine

_EVENT: Final = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})\.([0-9]{1,18})")
_ASK: Final = f"Give event=ID, the id of an event, up to {MOST_LINES} times."


class MachineLine(Struct, frozen=True):
    """An event, and its line as the machine gave it."""

    event: str
    text: str


class MachineLines(Struct, frozen=True):
    """In the order in which they were asked for."""

    items: tuple[MachineLine, ...]


def is_lines_path(path: str) -> bool:
    """Whether a path is one of the routes here."""
    return re.fullmatch(r"/api/machines/[^/]+/lines", path) is not None


@get("/api/machines/{machine:str}/lines")
async def machine_lines(
    request: Request[Any, Any, Any],
    machine: FromPath[str],
    service: NamedDependency[HubService],
    links: NamedDependency[MachineLinks],
) -> MachineLines:
    """Raw lines that the hub may not have; the machine decides, and both sides note it."""
    authorization = str(request.headers.get("authorization", ""))
    person = await sync_to_thread(service.person, authorization, client_address(request))
    events = request.query_params.getall("event", [])
    if not 0 < len(events) <= MOST_LINES:
        raise HubRefusal(400, _ASK)
    asked = machine, events, client_address(request)
    found, places = await sync_to_thread(_places, service, links, person, asked)
    try:
        data = await links.read(found.machine, places, person.name)
    except LinesRefused as refusal:
        raise HubRefusal(403, str(refusal)) from refusal
    except MachineAway as away:
        raise HubRefusal(504, _away(found, is_here=links.has(found.machine))) from away
    lines = zip(events, data, strict=True)
    return MachineLines(
        tuple(MachineLine(event, one.decode("utf-8", "replace")) for event, one in lines)
    )


def _places(
    service: HubService,
    links: MachineLinks,
    person: PersonIdentity,
    asked: tuple[str, list[str], str],
) -> tuple[KnownMachine, tuple[RawPlace, ...]]:
    """The machine and where its lines are; noted before anybody is asked."""
    name, events, address = asked
    with in_http():
        visible = [person.owner] if person.role == "member" else service.people.owners()
        machine = links.live.machine(name, visible)
        if machine is None:
            raise HubRefusal(404, "There is no such machine.")
        ids = [_EVENT.fullmatch(one) for one in events]
        wanted = [tuple(map(int, one.groups())) for one in ids if one]
        found = links.live.places(machine, wanted)
        if len(found) < len(events):
            raise HubRefusal(404, "This machine has not sent such an event.")
        if sum(one.length for one in found) > MOST_READ:
            raise HubRefusal(413, f"Ask for at most {MOST_READ:,} bytes at once.")
        who = {"person": person.owner, "machine": machine.machine}
        about = f"{name}: {', '.join(events)}"
        service.audit.note("read raw", about, service.now(), **who, address=address)
    return machine, tuple(found)


def _away(machine: KnownMachine, *, is_here: bool) -> str:
    if is_here:
        return f"{machine.name} does not answer: try again in a moment."
    if machine.is_linked:
        return f"{machine.name} is connected to another process of this hub: ask that one."
    return f"{machine.name} is not connected: its lines cannot be read now."
