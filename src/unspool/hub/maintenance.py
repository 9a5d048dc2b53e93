"""Upkeep of a hub beside its requests: links of agents, words of texts, sums, old weeks."""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import Final

from unspool.derive.usage.prices import Pricer
from unspool.engine.causes import CauseMaker
from unspool.engine.indexing.replay import Replay
from unspool.engine.indexing.rows import agent_rows
from unspool.errors import StoreError
from unspool.model.rows import AgentRow
from unspool.store.postgres.causes import add_up_days
from unspool.store.postgres.database import Pool
from unspool.store.postgres.retention import drop_old
from unspool.store.postgres.store import PostgresStore
from unspool.store.postgres.upkeep import owner_work

log = logging.getLogger("unspool.hub")
_EVERY: Final = 0.5  # seconds, while there is nothing to do
_AFTER_TROUBLE: Final = 5.0
_DROP_EVERY: Final = 3_600.0
# Causes are added up for so many seconds, then not for as long, or nine times that where there is
# other work.
_MOMENT: Final = 0.5
_REST: Final = 9
_SHORT: Final = 0.05


class HubMaintenance:
    """Works for all owners, in a thread; several hubs of one database may do so at once."""

    def __init__(
        self,
        pool: Pool,
        pricer: Pricer,
        prices: str,
        *,
        changed: Callable[[], None] = lambda: None,
        weeks_ahead: int = 8,
        keep: Mapping[str, int] | None = None,
    ) -> None:
        self._pool, self._price, self._prices = pool, pricer.price_of, prices
        self._causes = CauseMaker(pricer.table, prices)
        self._added_up: set[int] = set()  # owners whose sums are by these prices
        self._turn = 0  # of the stores, whose causes are added up first
        self._changed, self._weeks_ahead = changed, weeks_ahead
        self._stores: dict[int, PostgresStore] = {}
        self._keep_days, self._drop_at = keep or {}, 0.0
        self._stop = Event()
        self._thread = Thread(target=self._run, name="unspool-maintenance", daemon=True)
        self.trouble: tuple[str, ...] = ()  # for admins

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, after what is being done."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def step(self) -> bool:
        """Do a little for everybody; whether there was anything to do."""
        is_busy = self._keep_all()
        return self._add_up() or is_busy

    def waiting(self) -> int:
        """How many texts searches do not find yet."""
        return sum(store.waiting_texts() for store in list(self._stores.values()))

    def _run(self) -> None:
        rest_until = 0.0
        while not self._stop.is_set():
            try:
                is_busy = self._keep_all()
                if (begun := monotonic()) >= rest_until:
                    has_sums = self._add_up()
                    took = monotonic() - begun
                    rest_until = begun + took + took * (_REST if is_busy else 1)
                    is_busy = is_busy or (has_sums and took < _SHORT)
                self.trouble = ()
            except StoreError as error:
                if self.trouble != (str(error),):
                    log.error("maintenance: %s", error)
                is_busy, self.trouble = False, (str(error),)
                self._stop.wait(_AFTER_TROUBLE)
            if not is_busy:
                self._stop.wait(_EVERY)

    def _add_up(self) -> bool:
        """Add up causes for a moment, of those first who come after the last; whether any were."""
        some = deque(
            one.owner
            for one in owner_work(self._pool)
            if one.has_causes or one.owner not in self._added_up
        )
        some.rotate(-self._turn)
        make, found, until = self._causes, False, monotonic() + _MOMENT
        for store in map(self._store, some):
            if monotonic() >= until:
                break
            self._turn = (self._turn + 1) % len(some)
            self._added_up.add(store.owner)
            found |= store.project_causes(make.report, make.day_of, make.rules)
        return add_up_days(self._pool) or found

    def _store(self, owner: int) -> PostgresStore:
        if owner not in self._stores:
            store = PostgresStore(self._pool, owner=owner, weeks_ahead=self._weeks_ahead)
            if store.prices() != self._prices:
                store.reprice(self._price, self._prices)
            self._stores[owner] = store
        return self._stores[owner]

    def _keep_all(self) -> bool:
        if self._keep_days and monotonic() >= self._drop_at:
            self._drop_at = monotonic() + _DROP_EVERY
            drop_old(self._pool, self._keep_days)
        some = [
            one.owner
            for one in owner_work(self._pool)
            if one.has_rows or one.owner not in self._stores
        ]
        return any([self._keep(self._store(owner)) for owner in some])

    def _keep(self, store: PostgresStore) -> bool:
        unlinked = store.unlinked()
        for project_id, session_id in unlinked:
            link(store, project_id, session_id)
        repeating = store.uncounted()
        for source in repeating:
            segments = store.segments(source.source_id, source.generation)
            store.count_again(source, list(Replay(source).batches(segments)), self._price)
        if unlinked or repeating:
            self._changed()
        return store.project_text() or bool(unlinked or repeating)


def link(store: PostgresStore, project_id: str, session_id: str) -> None:
    """Link the agents of a session; facts that a machine made up link nothing."""
    facts: dict[int, bytes] | None = None
    # What was committed since they were read is not linked yet, and would count as linked.
    while facts != (now := store.facts(project_id, session_id)):
        facts, rows = now, list[AgentRow]()
        with suppress(Exception):
            rows = agent_rows(facts.values())
        store.put_agents(project_id, session_id, rows)
