"""Views of people: one for each, made once, closed when nobody uses it, and never shared."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.derive.usage.books import TABLE
from tests.hub.machines import HubDatabase
from tests.hub.serving import Clock
from unspool.errors import StoreError
from unspool.hub.pages import HubView, page_context
from unspool.hub.views import PeopleViews
from unspool.model.shipping import PersonIdentity
from unspool.serve.app import VIEW
from unspool.serve.auth.policy import VISITOR
from unspool.serve.context import ServerContext


class Site:
    """Views of an app that says which view a request has got."""

    def __init__(self, hub: HubDatabase, home: Path, **options: Any) -> None:
        self._hub, self._home = hub, home
        roles = {"ada": "member", "bob": "member", "lea": "lead"}
        for name, role in roles.items():
            hub.person(name, role)
        self.people = {one.name: one for one in hub.people.people()}
        self._view = HubView(hub.pool, 1, weeks_ahead=0)
        self.made: list[str] = []
        self.closed: list[str] = []
        self.seen: list[Any] = []
        self.fails = False
        self.views = PeopleViews(self._app, self._make, **options)

    def _make(self, person: PersonIdentity) -> ServerContext:
        if self.fails:
            raise StoreError("away")
        made = page_context(self._view, person, TABLE, home=self._home, now=Clock())
        self.made.append(f"{person.name} {person.role}")
        close = made.close

        def closing() -> None:
            self.closed.append(person.name)
            close()

        made.close = closing  # type: ignore[method-assign]
        return made

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                pass
        else:
            self.seen.append(scope[VIEW].context)
            await receive()

    def run(self, visits: Callable[["Site"], Awaitable[None]]) -> None:
        """Start, let them come, and stop as a server does."""

        async def running() -> None:
            stop = asyncio.Event()

            async def lifespan() -> Any:
                await stop.wait()
                return {"type": "lifespan.shutdown"}

            async with asyncio.TaskGroup() as group:
                group.create_task(self.views({"type": "lifespan"}, lifespan, None))  # type: ignore[arg-type]
                await asyncio.sleep(0)
                await visits(self)
                stop.set()

        asyncio.run(running())

    async def visit(self, person: PersonIdentity, until: asyncio.Event | None = None) -> list[Any]:
        """One request, which takes until something happens; what was answered."""
        sent: list[Any] = []

        async def receive() -> Any:
            if until is not None:
                await until.wait()
            return {"type": "http.request"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.views({"type": "http", VISITOR: person}, receive, send)  # type: ignore[arg-type]
        return sent


def test_a_person_has_one_view_however_many_come_at_once(hub: HubDatabase, tmp_path: Path) -> None:
    site = Site(hub, tmp_path)
    ada, bob = site.people["ada"], site.people["bob"]

    async def visits(site: Site) -> None:
        await asyncio.gather(*(site.visit(one) for one in (ada, ada, bob, ada)))

    site.run(visits)
    assert sorted(site.made) == ["ada member", "bob member"]
    assert len({id(one) for one in site.seen}) == 2
    assert sorted(site.closed) == ["ada", "bob"]


def test_another_role_is_another_view(hub: HubDatabase, tmp_path: Path) -> None:
    site = Site(hub, tmp_path)
    lea = site.people["lea"]

    async def visits(site: Site) -> None:
        await site.visit(lea)
        await site.visit(PersonIdentity(lea.owner, lea.name, "member"))

    site.run(visits)
    assert site.made == ["lea lead", "lea member"]
    assert [one.store.visible for one in site.seen] == [
        [one.owner for one in site.people.values()],
        [lea.owner],
    ]


def test_views_beyond_a_number_are_closed_but_none_that_is_used(
    hub: HubDatabase, tmp_path: Path
) -> None:
    site, over = Site(hub, tmp_path, most=1), asyncio.Event()
    ada, bob, lea = (site.people[name] for name in ("ada", "bob", "lea"))

    async def visits(site: Site) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(site.visit(ada, over))
            while not site.seen:
                await asyncio.sleep(0.01)
            await site.visit(bob)
            await site.visit(lea)
            assert site.views.people == [ada]
            over.set()

    site.run(visits)
    assert site.closed[-1] == "ada"


def test_an_idle_view_is_closed(hub: HubDatabase, tmp_path: Path) -> None:
    site = Site(hub, tmp_path, idle=0.05)

    async def visits(site: Site) -> None:
        await site.visit(site.people["ada"])
        while site.views.people:
            await asyncio.sleep(0.01)

    site.run(visits)
    assert site.closed == ["ada"]


def test_without_the_database_it_says_so_and_tries_again(hub: HubDatabase, tmp_path: Path) -> None:
    site, answered = Site(hub, tmp_path), list[Any]()

    async def visits(site: Site) -> None:
        site.fails = True
        answered.extend(await site.visit(site.people["ada"]))
        site.fails = False
        await site.visit(site.people["ada"])

    site.run(visits)
    assert (answered[0]["status"], len(site.seen)) == (503, 1)
