"""A machine with a root that changes, its local index, and a collector whose network is bad."""

import os
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

from msgspec.structs import replace

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, PRICER, age, root_of
from tests.hub.machines import HubDatabase
from tests.store.stores import EVERYTHING
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.hub.collector.link import HubAnswer, HubLink
from unspool.hub.collector.outputs import OutputQueue
from unspool.hub.collector.packing import EnvelopeMaker
from unspool.hub.collector.queue import ShipQueue
from unspool.hub.collector.sender import Collector, CollectorParts
from unspool.hub.collector.shipments import SourceShipper
from unspool.hub.collector.tombstones import TombstoneQueue
from unspool.hub.refusals import HubRefusal
from unspool.hub.service import HubService
from unspool.model.files import TailState
from unspool.model.query import TextQuery, TotalsQuery
from unspool.model.shipping import Receipt, StatePage
from unspool.store import Store
from unspool.store.memory import MemoryStore
from unspool.store.pack import unpacked
from unspool.store.postgres.store import PostgresStore


class LocalMachine:
    """One root and its index."""

    def __init__(self, path: Path, store: Store | None = None) -> None:
        self.path = path
        self.root = root_of(path)
        self.store = store or MemoryStore()
        self._indexer = Indexer(self.store, [self.root], TABLE)
        self._number = 0

    def lines(self, session: str, count: int, text: str = "héllo") -> bytes:
        """Lines that were never written before; the first of a session names it."""
        made = Transcript(session, uuid_prefix=f"{session}-{self._number}-")
        for _ in range(count):
            self._number += 1
            made.user(f"{text} {self._number}").calls("Edit", file_path=f"/repo/{self._number}.py")
            made.returns("done").says(f"answer {self._number}")
        return made.bytes()

    def append(self, name: str, data: bytes, mode: str = "ab") -> Path:
        path = self.path / "projects" / "-repo" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, mode) as file:
            file.write(data)
        return age(path)

    def sweep(self, now: int = NOW) -> None:
        self._indexer.sweep(now)

    def forget(self, name: str) -> None:
        os.unlink(self.path / "projects" / "-repo" / f"{name}.jsonl")

    def queue(self) -> ShipQueue:
        return ShipQueue(self.store, lambda _: True)

    def collector(self, link: Any, in_flight: int = 1, longest_wait: float = 0.001) -> Collector:
        parts = CollectorParts(
            queue=self.queue(),
            shipper=SourceShipper(self.store, [self.root]),
            envelopes=EnvelopeMaker("raw", 0, version="1.2.3", platform="Linux"),
            outputs=OutputQueue(self.store, "raw", lambda _: True),
            tombstones=TombstoneQueue([self.root]),
            link=link,
            now=lambda: NOW,
            in_flight=in_flight,
            longest_wait=longest_wait,
        )
        return Collector(parts, Event())


def machine_with_files(path: Path, files: int) -> LocalMachine:
    """One that has indexed some sessions of twenty lines."""
    machine = LocalMachine(path)
    for number in range(files):
        machine.append(f"s{number}", machine.lines(f"s{number}", 5))
    machine.sweep()
    return machine


class FaultyLink(HubLink):
    """A link that speaks to a hub in this process, and loses, repeats and reorders."""

    def __init__(self, service: HubService, key: str, chance: Random, faults: float) -> None:
        super().__init__("http://localhost")
        self._service, self._authorization = service, f"Bearer {key}"
        self._chance, self._faults = chance, faults
        self._earlier: list[bytes] = []

    def states(self, after: int, forgotten: str = "") -> StatePage | HubAnswer:
        if self._chance.random() < self._faults / 3:
            return HubAnswer(0, detail="lost")
        return self._service.states(self._service.machine(self._authorization), after, forgotten)

    def send(self, body: bytes) -> Receipt | HubAnswer:
        kind = self._chance.choice(["lost", "unanswered", "again", "late", "busy"])
        if self._chance.random() >= self._faults:
            kind = ""
        if kind == "lost":
            return HubAnswer(0, detail="lost")
        if kind == "busy":
            return HubAnswer(503, retry_after=0)
        if kind == "late" and self._earlier:
            self._deliver(self._chance.choice(self._earlier))
        answer = self._deliver(body)
        self._earlier.append(body)
        if kind == "again":
            answer = self._deliver(body)
        return HubAnswer(0, detail="no answer") if kind == "unanswered" else answer

    def _deliver(self, body: bytes) -> Receipt | HubAnswer:
        try:
            return self._service.ingest(self._service.machine(self._authorization), body)
        except HubRefusal as refusal:
            return refusal.receipt or HubAnswer(refusal.status, detail=refusal.detail)


def service(hub: HubDatabase) -> HubService:
    return HubService(hub.pool, PRICER.price_of, lambda: NOW, weeks_ahead=0)


def seen(store: Store, machine: str = "") -> dict[str, Any]:
    """All that a store shows of one machine, in names that do not depend on which store it is."""
    if isinstance(store, PostgresStore):
        for _ in store.merge():
            pass
    query = TextQuery(limit=10_000)
    # However busy the machine is, all hits are wanted here.
    found = store.search(query, 600) if isinstance(store, PostgresStore) else store.search(query)
    prefix, root = (f"{machine}~", f"{machine}:") if machine else ("", "")
    sources = {row.source_id: row for row in store.sources()}
    sessions = store.sessions(EVERYTHING)

    def named(row: Any, **fields: Any) -> Any:
        return replace(row, project_id=row.project_id.removeprefix(prefix), **fields)

    return {
        "sources": sorted(
            (
                named(row, source_id=0, root=row.root.removeprefix(root), tail=TailState())
                for row in sources.values()
            ),
            key=lambda row: row.path,
        ),
        "bytes": sorted(
            (one.path, one.generation, _bytes(store, one.source_id, one.generation))
            for one in store.generations()
        ),
        "sessions": sorted(
            (
                named(row, transcript_path=row.transcript_path.removeprefix(root))
                for row in sessions
            ),
            key=lambda row: row.session_id,
        ),
        "hits": sorted(
            (sources[hit.source_id].path, repr(named(hit, source_id=0, line_id=0))) for hit in found
        ),
        "totals": sorted(repr(named(one)) for one in store.totals(TotalsQuery(by="session"))),
        "lines": sorted(
            (sources[id].path, generation, count)
            for (id, generation), count in store.line_counts().items()
        ),
        "bad": sorted(repr(replace(one, root="")) for one in store.bad_lines(limit=1_000)),
        "agents": [
            store.agents_of([(row.project_id, row.session_id)]).get(
                (row.project_id, row.session_id)
            )
            for row in sorted(sessions, key=lambda row: row.session_id)
        ],
    }


def _bytes(store: Store, id: int, generation: int) -> bytes:
    return b"".join(unpacked(one) or b"" for one in store.segments(id, generation))
