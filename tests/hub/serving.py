"""A hub that listens on loopback, in a thread of this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import uvicorn

from tests.engine.indexing.roots import NOW, PRICER
from tests.hub.machines import HubDatabase
from unspool.hub.app import hub_app
from unspool.hub.maintenance import HubMaintenance
from unspool.hub.secondary import MachineLinks
from unspool.hub.service import HubService
from unspool.model.shipping import ShipMode
from unspool.serve import places
from unspool.store.postgres.live import LiveTable


class Clock:
    """A time that a test moves."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> int:
        return self.at


@contextmanager
def listening(
    hub: HubDatabase,
    clock: Clock | None = None,
    takes: ShipMode | None = None,
    service: HubService | None = None,
) -> Iterator[str]:
    """The address of a hub of this database."""
    service = service or HubService(
        hub.pool, PRICER.price_of, clock or Clock(), weeks_ahead=0, takes=takes
    )
    maintenance = HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0)
    started = Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: object = None) -> None:
            await super().startup(sockets)  # type: ignore[arg-type]
            started.set()

    app = hub_app(service, maintenance, MachineLinks(service, LiveTable(hub.pool)))
    config = uvicorn.Config(app, log_config=None, lifespan="off")
    server, sockets = Server(config), places.listening("127.0.0.1", 20_000)
    thread = Thread(target=server.run, args=(sockets,))
    thread.start()
    try:
        assert started.wait(60)
        yield f"http://127.0.0.1:{places.port_of(sockets)}"
    finally:
        server.should_exit = True
        thread.join()
        for one in sockets:
            one.close()
