"""A hub's database -> a server on some port, with upkeep beside it, until a signal ends both."""

import os
import socket
from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path

from unspool.cli import config
from unspool.cli.serve import certificate_of
from unspool.cli.server_control import LOCK
from unspool.cli.supervisor import Shutdown
from unspool.engine.settings import settings
from unspool.errors import ConfigError, StoreBusy, UsageError
from unspool.hub.app import hub_app, hub_site
from unspool.hub.maintenance import HubMaintenance
from unspool.hub.policy import HubPolicy
from unspool.hub.proxy import behind_proxy
from unspool.hub.secondary import MachineLinks
from unspool.hub.service import HubPools, HubService
from unspool.hub.views import HubPages
from unspool.model.shipping import PersonIdentity
from unspool.serve import places, running
from unspool.serve.runtime import Runtime
from unspool.store.postgres.database import Pool, open_pool
from unspool.store.postgres.live import LiveTable
from unspool.store.postgres.notify import ChangeNotifier
from unspool.store.postgres.people import PeopleTable
from unspool.store.sqlite.lock import WriterLock


def serve(options: Namespace, pool: Pool) -> None:
    """Serve until stopped."""
    tls, home = _tls_of(options), config.unspool_home()
    prices = config.open_stores().machine.prices
    pricer, chosen = prices.pricer(), settings(home)
    notifier = ChangeNotifier(pool)
    maintenance = HubMaintenance(
        pool, pricer, prices.version, changed=notifier.changed, keep=chosen.keep
    )
    with ExitStack() as stack:
        stack.callback(_lock(home).release)
        stop = stack.enter_context(Shutdown())
        sockets = places.listening(options.host, options.port)
        policy, token = _policy(options, pool, home, places.port_of(sockets))
        file = _runtime_file(home, policy, places.port_of(sockets), token)
        stack.callback(file.remove)
        for worker in (notifier, maintenance):
            worker.start()
            stack.callback(worker.stop)
        pages = HubPages(pool, policy, prices.table(), home=home)
        stack.callback(pages.close)

        def started() -> None:
            server.should_exit = stop.is_set  # a signal came before it listened
            address = policy.invitation().address  # asked before anybody can see that it runs
            file.write()
            print(f"unspool hub is running. Press Ctrl-C to stop it.\n{address}", flush=True)

        pools = HubPools(pool, stack.enter_context(open_pool(str(pool.conninfo))))
        service = HubService(
            pools, pricer.price_of, config.now, changed=notifier.changed, takes=chosen.takes
        )
        links = MachineLinks(service, LiveTable(*pools), notifier.changed)
        site = hub_site(hub_app(service, maintenance, links), pages.guard)
        if options.behind_proxy:
            site = behind_proxy(site, options.behind_proxy)
        server = running.server(site, tls=tls, started=started, stopping=stop.begin)
        server.run(sockets)


def _lock(home: Path) -> WriterLock:
    try:
        return WriterLock(home / LOCK)
    except StoreBusy as busy:
        raise ConfigError(
            f"Process {busy.pid} is already serving {home}: give the hub its own UNSPOOL_HOME."
        ) from busy


def _tls_of(options: Namespace) -> running.Tls | None:
    """The certificate to serve with; a hub that others can reach has one, or a proxy that has."""
    if options.behind_proxy and not options.public_url:
        raise UsageError(
            "--behind-proxy needs --public-url, the address that browsers and machines use."
        )
    if not (options.cert or options.behind_proxy or places.is_loopback(options.host)):
        raise UsageError(
            f"--host {options.host} lets others reach everybody's sessions. Give --cert and --key,"
            " or --behind-proxy with the address of a proxy that has a certificate."
        )
    return certificate_of(options)


def _policy(options: Namespace, pool: Pool, home: Path, port: int) -> tuple[HubPolicy, str]:
    """Who may come in, and the token of the admin who stands for the hub itself."""
    people = PeopleTable(pool)
    names = places.server_names(
        options.host,
        port,
        name=running.ServerSecrets(home, keep_token=False).kept.name,
        is_tls=bool(options.cert),
        public_url=options.public_url,
    )
    people.set_address(names.browser_url)
    admin, token = _local_admin(people)
    return HubPolicy(pool, names, port=port, now=config.now, local=admin), token


def _runtime_file(home: Path, policy: HubPolicy, port: int, token: str) -> running.RuntimeFile:
    url = policy.names.url
    runtime = Runtime(url=url, port=port, pid=os.getpid(), token=token, ingest_token="")
    return running.RuntimeFile(home, runtime, policy)


def _local_admin(people: PeopleTable) -> tuple[PersonIdentity, str]:
    """An admin who stands for this machine, and their token, a new one for each run."""
    name, found = f"hub on {socket.gethostname()}", people.people()
    known = next((one for one in found if one.name == name), None)
    if known is None:
        token = people.add_person(name, "admin", config.now())
    else:
        token = people.new_token(known.owner)
        people.set_role(name, "admin", config.now())
    admin = people.by_token(token)
    if admin is None:
        raise ConfigError(f"{name} was removed while the hub was starting. Start it again.")
    return admin, token
