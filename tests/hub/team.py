"""A hub that listens with its pages, for a small team: what each has sent is unmistakable."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, NamedTuple

import httpx
import uvicorn
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, PRICER, age
from tests.hub.collector.machine import FaultyLink, LocalMachine
from tests.hub.machines import HubDatabase
from tests.hub.serving import Clock
from tests.plain_http import NO_TLS
from unspool.demo import Transcript
from unspool.hub.app import hub_app, hub_site
from unspool.hub.maintenance import HubMaintenance
from unspool.hub.policy import HubPolicy
from unspool.hub.proxy import behind_proxy
from unspool.hub.secondary import MachineLinks
from unspool.hub.service import HubService
from unspool.hub.views import HubPages
from unspool.serve import places
from unspool.store.postgres.live import LiveTable

# In the prompts, answers, results, paths and branches of each, and in no address.
WORDS = {"ada": "capybara", "bob": "walrus"}
MACHINES = {"ada": "laptop", "bob": "desk"}
COMMON = "quokka"  # a word that both have


class Ids(NamedTuple):
    """What the routes name of one person's work."""

    project_id: str
    session_id: str
    agent_id: str
    machine: str
    event_id: str = ""
    step: str = ""


class Team:
    """ada and bob are members with a machine each, lea is a lead, adam an admin."""

    def __init__(self, hub: HubDatabase, place: Path) -> None:
        self.hub, self.place, self.clock, self.url = hub, place, Clock(), ""
        roles = {"ada": "member", "bob": "member", "lea": "lead", "adam": "admin"}
        self.client = httpx.Client(verify=NO_TLS, timeout=60)
        self.tokens = {name: hub.person(name, role) for name, role in roles.items()}
        self.identities = {one.name: one for one in hub.people.people()}
        self.service = HubService(hub.pool, PRICER.price_of, self.clock, weeks_ahead=0)
        self.maintenance = HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0)
        self.links = MachineLinks(self.service, LiveTable(hub.pool), lambda: None)
        self._sending: dict[str, tuple[LocalMachine, Transcript]] = {}
        for name in WORDS:
            self._enrol(name)
        while self.maintenance.step():
            pass
        self.ids = {name: self._ids(name) for name in WORDS}

    def _enrol(self, name: str) -> None:
        word, path = WORDS[name], self.place / name
        self.hub.machine(MACHINES[name], name)
        said = Transcript(f"{name}-session", cwd=f"/home/{name}", branch=word)
        said.user(f"{COMMON} prompt {word}").calls("Edit", file_path=f"/home/{name}/{word}.py")
        said.returns(f"{COMMON} result {word}").calls("Task", prompt=word, id="toolu_task")
        said.returns("done").says(f"{COMMON} answer {word}")
        agent = Transcript(f"{name}-session", cwd=f"/home/{name}", agent="a1")
        agent.user(f"agent prompt {word}").says(f"agent answer {word}")
        for transcript in (said, agent):
            age(transcript.save(path))
        self._sending[name] = LocalMachine(path), said
        self._send(name)

    def _send(self, name: str) -> None:
        machine, key = self._sending[name][0], self.hub.keys[MACHINES[name]]
        machine.sweep(NOW)
        link = FaultyLink(self.service, key, Random(0), 0)
        machine.collector(lambda: link).run(once=True)

    def say_more(self, name: str, text: str) -> None:
        """Another line in somebody's session, sent to the hub."""
        said = self._sending[name][1]
        said.says(text)
        age(said.save(self.place / name), seconds=1)
        self._send(name)

    def _ids(self, name: str) -> Ids:
        store = self.hub.store(self.identities[name].owner)
        (source,) = [one for one in store.sources() if one.kind == "main"]
        event = f"{source.source_id}.{source.generation}.0"
        return Ids(source.project_id, source.session_id, "a1", MACHINES[name], event)

    def pages(self, url: str) -> HubPages:
        """The pages, as a hub at an address has them."""
        port = int(url.rpartition(":")[2])
        names = places.server_names("127.0.0.1", port, name="u-0123456789abcdef", is_plain=True)
        local = self.identities["adam"]
        policy = HubPolicy(self.hub.pool, names, port=port, now=self.clock, local=local)
        return HubPages(self.hub.pool, policy, TABLE, home=self.place, weeks_ahead=0)

    def ask(self, who: str, method: str, path: str, **given: Any) -> httpx.Response:
        """A request with somebody's token, or with the key of their machine."""
        secret = self.tokens.get(who, who)
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        self.client.cookies.clear()
        headers |= {"accept": "text/html", "origin": self.url, **given.pop("headers", {})}
        return self.client.request(method, self.url + path, headers=headers, **given)

    def listen(
        self, who: str, path: str = "/api/dashboard"
    ) -> AbstractContextManager[ClientConnection]:
        """A socket with somebody's token, to be opened by `with`."""
        secret = self.tokens.get(who, who)
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        url, origin = self.url.replace("http", "ws", 1) + path, Origin(self.url)
        return connect(url, origin=origin, additional_headers=headers, open_timeout=60)


@contextmanager
def team_hub(hub: HubDatabase, place: Path, proxy: str = "") -> Iterator[tuple[Team, HubPages]]:
    """A team, and the hub it asks."""
    team, started = Team(hub, place), Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: object = None) -> None:
            await super().startup(sockets)  # type: ignore[arg-type]
            started.set()

    sockets = places.listening("127.0.0.1", 20_000)
    team.url = f"http://127.0.0.1:{places.port_of(sockets)}"
    pages = team.pages(team.url)
    site = hub_site(hub_app(team.service, team.maintenance, team.links), pages.guard)
    config = uvicorn.Config(
        behind_proxy(site, proxy) if proxy else site,
        log_config=None,
        lifespan="on",
        proxy_headers=False,
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    thread = Thread(target=partial(server.run, sockets))
    thread.start()
    try:
        assert started.wait(60)
        yield team, pages
    finally:
        server.should_exit = True
        thread.join()
        team.client.close()
        pages.close()
        for one in sockets:
            one.close()


def first_step(page: str) -> str:
    """The id of a step on the page of a session."""
    found = re.search(r'id="step-([^"]+)"', page)
    assert found is not None
    return found[1]
