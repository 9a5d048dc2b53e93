"""The routes of machines: enrol, ask how far the hub is, send. Their keys open nothing else."""

import asyncio
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency, Provide
from litestar.params import Parameter
from msgspec import UNSET, UnsetType

from unspool.errors import StoreError
from unspool.hub.envelope import MOST_PACKED
from unspool.hub.refusals import HubRefusal, refusal_of
from unspool.hub.service import HubService
from unspool.json_depth import shallow
from unspool.model.shipping import (
    EnrolAnswer,
    EnrolRequest,
    MachineIdentity,
    Receipt,
    ShipMode,
    SourceState,
    StatePage,
)
from unspool.serve.api.parameters import client_address
from unspool.serve.problems import MEDIA_TYPE, Problem, problem_response

_SMALL: Final = 4 * 1024
_BODY_SECONDS: Final = 60.0
_LARGEST: Final = 2**63 - 1


class ShippingProblem(Problem, frozen=True, kw_only=True):
    """A problem that says what was taken, and what should have come."""

    acked: tuple[SourceState, ...] | UnsetType = UNSET
    expected: tuple[SourceState, ...] | UnsetType = UNSET
    takes: ShipMode | UnsetType = UNSET  # where the mode of the machine sends more


@post("/api/enrol", status_code=200, request_max_body_size=_SMALL)
async def enrol(
    request: Request[Any, Any, Any], service: NamedDependency[HubService]
) -> EnrolAnswer:
    """Exchange a code for the key of a machine."""
    try:
        asked = msgspec.json.decode(shallow(await request.body()), type=EnrolRequest)
    except (ValueError, RecursionError) as error:
        detail = "Send a code, and a name of lowercase letters, digits and hyphens."
        raise HubRefusal(422, detail) from error
    return await sync_to_thread(service.enrol, asked, client_address(request))


@get("/api/ingest/state")
async def ingest_state(
    request: Request[Any, Any, Any],
    service: NamedDependency[HubService],
    after: Annotated[int, Parameter(ge=-1, le=_LARGEST)] = -1,
    forgotten: Annotated[str | None, Parameter(max_length=100)] = None,
) -> StatePage:
    """How far the sources of this machine have come, 1,000 at a time.

    `forgotten` is the digest of its tombstones: where the hub has others, all of them are added.
    """
    sender = await _sender(request, service)
    with service.intake.taking(sender):
        return await service.intake.run(partial(service.states, sender, after, forgotten))


@post("/api/ingest", status_code=200, request_max_body_size=MOST_PACKED)
async def ingest(request: Request[Any, Any, Any], service: NamedDependency[HubService]) -> Receipt:
    """Take an envelope: msgpack, packed by zstd."""
    sender = await _sender(request, service)
    if request.headers.get("content-encoding", "") != "zstd":
        raise HubRefusal(422, "Send Content-Encoding: zstd.")
    with service.intake.taking(sender):  # before there is a body in memory
        body = await _body(request)
        return await service.intake.run(partial(service.ingest, sender, body))


def machine_router(service: HubService) -> Router:
    """The routes, with their errors as problem documents."""
    return Router(
        "/",
        route_handlers=[enrol, ingest_state, ingest],
        dependencies={"service": Provide(lambda: service, sync_to_thread=False)},
        exception_handlers={
            HubRefusal: refusal_response,
            StoreError: store_response,
            Exception: problem_response,
        },
    )


def refusal_response(_: Request[Any, Any, Any], error: HubRefusal) -> Response[Problem]:
    """A refusal as a problem document."""
    receipt = error.receipt
    body = ShippingProblem(
        title=HTTPStatus(error.status).phrase,
        status=error.status,
        detail=error.detail,
        acked=receipt.acked if receipt else UNSET,
        expected=receipt.expected if receipt else UNSET,
        takes=error.takes or UNSET,
    )
    headers = {"retry-after": str(error.retry_after)} if error.retry_after is not None else {}
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(body, status_code=error.status, media_type=MEDIA_TYPE, headers=headers)


def store_response(request: Request[Any, Any, Any], error: StoreError) -> Response[Problem]:
    """An error of the database as a problem document."""
    return refusal_response(request, refusal_of(error))


async def _sender(request: Request[Any, Any, Any], service: HubService) -> MachineIdentity:
    authorization = str(request.headers.get("authorization", ""))
    return await sync_to_thread(service.machine, authorization, client_address(request))


async def _body(request: Request[Any, Any, Any]) -> bytes:
    """A machine that goes to sleep while it sends must not keep its place for long."""
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            return await request.body()
    except TimeoutError as error:
        detail = f"Send the whole body within {_BODY_SECONDS:.0f} seconds."
        raise HubRefusal(408, detail) from error
