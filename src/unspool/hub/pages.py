"""What people see on the pages of a hub: all that machines have sent, or what their own have."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from msgspec.structs import replace

from unspool.errors import NotFound, UnspoolError
from unspool.hub.board_rows import shown_row
from unspool.hub.fleet import PersonalFleet
from unspool.hub.machines import withheld
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.model.query import SessionQuery
from unspool.model.session import BoardRow
from unspool.model.shipping import PersonIdentity
from unspool.remote_paths import machine_of, path_there, project_prefix
from unspool.serve.context import ServerContext, remote_config
from unspool.source.roots import remote_root
from unspool.store.postgres.database import Pool
from unspool.store.postgres.live import LiveRow, LiveTable
from unspool.store.postgres.notify import ChangeListener
from unspool.store.postgres.people import PeopleTable
from unspool.store.postgres.store import PostgresStore

_EVERY: Final = 1.0  # seconds, where no hub tells of a change


class HubView:
    """All owners and all roots, as they become known, for everybody who looks at a hub."""

    def __init__(self, pool: Pool, owner: int, *, weeks_ahead: int = 8) -> None:
        self.pool, self.people, self._weeks_ahead = pool, PeopleTable(pool), weeks_ahead
        self.owners = [owner]
        self.store = self.store_of(owner, self.owners)
        self._live = LiveTable(pool)
        self.roots: list[Root] = []
        self._of_owner: defaultdict[int, list[Root]] = defaultdict(list)
        self._known: set[str] = set()
        # Another one once something was erased, or the database was restored.
        self.edition = 0, 0
        self._head = 0
        self._lock, self._following = Lock(), Lock()
        self._wakes: dict[object, Callable[[], None]] = {}
        self._stop = Event()
        self.refresh()

    def store_of(self, owner: int, visible: list[int]) -> PostgresStore:
        """The store of somebody, who sees the rows of these owners."""
        return PostgresStore(self.pool, owner=owner, visible=visible, weeks_ahead=self._weeks_ahead)

    def seen_by(self, person: PersonIdentity) -> tuple[list[int], list[Root]]:
        """The owners and roots that a person may see; both lists grow as more become known."""
        if person.role in ("lead", "admin"):
            return self.owners, self.roots
        with self._lock:
            return [person.owner], self._of_owner[person.owner]

    def refresh(self) -> None:
        """Take in people and roots that are new, and those that were erased."""
        with self._lock:
            self.owners[:] = self.people.owners()
            head, times = self.store.head(), self.edition[1]
            self.edition = self.store.edition(), times + (head < self._head)
            self._head = head
            paths = self.store.roots()
            for path in paths:
                if path not in self._known and (root := self._root(path)):
                    with suppress(NotFound):  # its machine was erased a moment ago
                        self._of_owner[self.people.machine_owner(machine_of(path))].append(root)
                        self._known.add(path)
                        self.roots.append(root)
            if gone := self._known.difference(paths):
                self._known -= gone
                for roots in (self.roots, *self._of_owner.values()):
                    roots[:] = [root for root in roots if root.path not in gone]

    def _root(self, path: str) -> Root | None:
        """A root by its name; its sessions say which of its machine's roots it is."""
        query = SessionQuery(everything=True, scope=((path, ""),), limit=1)
        prefix = project_prefix(machine_of(path))
        for row in self.store.sessions(query):
            if row.project_id.startswith(prefix):
                further = re.match(r"r([0-9]+)~", row.project_id.removeprefix(prefix))
                number = int(further[1]) if further else 1
                return remote_root(machine_of(path), path_there(path), number)
        return None

    def board_rows(self, owners: Sequence[int], now: int) -> list[BoardRow]:
        """What machines of these owners last said of their sessions."""
        rows = (shown_row(one, now) for one in self._live.rows(owners, now))
        return [row for row in rows if row is not None]

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Keep up to date, and call `wake` when there may be something new; what ends that."""
        name = object()
        with self._following:
            self._wakes[name] = wake
            if len(self._wakes) == 1:
                self._stop = Event()
                given = (self._stop,)
                Thread(target=self._follow, args=given, name="unspool-view", daemon=True).start()

        def end() -> None:
            with self._following:
                self._wakes.pop(name, None)
                if not self._wakes:
                    self._stop.set()

        return end

    def _follow(self, stop: Event) -> None:
        """For all who listen, with one connection; until nobody does."""
        last: tuple[tuple[int, int], int, list[LiveRow]] | None = None
        with closing(ChangeListener(self.pool)) as listener:
            while not stop.is_set():
                listener.wait(_EVERY)
                with suppress(UnspoolError):  # the database may be away for a while
                    self.refresh()
                    newest = self.edition, self._head, self._live.rows(self.owners, 0)
                    if newest != last:
                        last = newest
                        with self._following:
                            wakes = list(self._wakes.values())
                        for wake in wakes:
                            wake()


def page_context(
    view: HubView,
    person: PersonIdentity,
    prices: PriceTable,
    *,
    home: Path,
    now: Callable[[], int],
) -> ServerContext:
    """What the routes of the pages use for one person; its caches are nobody else's."""
    view.refresh()
    owners, roots = view.seen_by(person)
    fleet = PersonalFleet(view.pool, person, owners, now)
    store = view.store_of(person.owner, owners)
    config = remote_config(store, roots, prices, home=home, now=now)
    return ServerContext(
        replace(
            config,
            listen=view.listen,
            fleet=fleet,
            reveals=fleet,
            edition=lambda: view.edition,
            withheld=lambda project_id: withheld(view.people, project_id),
            board_rows=lambda: view.board_rows(owners, now()),
        )
    )
