"""What a hub says of the sessions of one machine, surface by surface, in the machine's names."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from random import Random
from threading import Event
from typing import Any, Final, TypeAlias

import httpx
import msgspec
from psycopg.rows import dict_row

import unspool
from tests.e2e.surface_fields import Json, Key
from tests.e2e.surfaces import (
    HUB,
    Surfaces,
    note_absent,
    served_lists,
    served_sessions,
    sql_answers,
)
from tests.e2e.workspaces import Asks, Site, Workspace
from tests.hub.collector.machine import FaultyLink
from tests.hub.machines import HubDatabase
from tests.serve.machines import MACHINE, PREFIX
from unspool.cli import config
from unspool.cli.config import open_stores
from unspool.derive.usage.prices import Pricer
from unspool.engine.stores import Stores
from unspool.hub.board_rows import hub_row
from unspool.hub.collector.board_link import SentRows
from unspool.hub.collector.outputs import OutputQueue
from unspool.hub.collector.packing import EnvelopeMaker
from unspool.hub.collector.queue import ShipQueue
from unspool.hub.collector.sender import Collector, CollectorParts
from unspool.hub.collector.shipments import SourceShipper
from unspool.hub.collector.tombstones import TombstoneQueue
from unspool.hub.maintenance import HubMaintenance
from unspool.hub.pages import HubView, page_context
from unspool.hub.service import HubService
from unspool.model.secondary import MOST_ROWS, Hello
from unspool.model.session import Board, BoardRow
from unspool.store import Store
from unspool.store.postgres.live import LiveTable, OpenLink

Sql: TypeAlias = Callable[[str], list[Json]]

# Fields that a surface of the hub cannot know, and why.
_RUNS: Final = "a view does not say whether a call without a result still runs"
_LISTS: Final = "a row is sent without the lists of its session"
_BESIDE: Final = "files beside transcripts are not sent"
UNKNOWN: Final = {
    ("board", "files_modified"): _LISTS,
    ("board", "session.files"): _LISTS,
    ("board", "session.todos"): _LISTS,
    ("document", "session.taskList"): _BESIDE,
    ("sql tool_calls", "calls"): _RUNS,  # `results` are compared
    ("sql tool_calls", "main_calls"): _RUNS,
}
# And these of sessions that somebody gave a name.
UNKNOWN_OF_NAMED: Final = {
    ("sql sessions", "title"): "a view has no marks",
}
# And these of a machine whose status line was told of usage limits.
UNKNOWN_OF_LIMITED = {
    (surface, field): "a hub is not sent what the status line was told"
    for surface in ("REST list", "list page", "document", "page")
    for field in ("until", "session.status")
}
# Views whose rows are compared whole, without what each database numbers in its own way,
VIEWS: Final = (
    *("sessions", "lines", "usage", "usage_totals", "messages", "tool_calls", "agents"),
    *("files_touched", "sources", "bad_lines"),
)
NUMBERS: Final = {"source_id", "line_id", "id", "call_line", "result_line"}
PLACE: Final = re.compile(r"\bl:\d+:")  # the key of a response without an id names its source
# without the machine's name, and without what is compared as a field.
FIELDS: Final = {"sessions": {"machine_id", "title"}, "tool_calls": {"state"}}


def send(hub: HubDatabase, stores: Stores, store: Store, now: int) -> None:
    """Everything, byte for byte, and what the hub does with it afterwards."""
    pricer = Pricer(config.prices())
    service = HubService(hub.pool, pricer.price_of, lambda: now, weeks_ahead=0)
    link = FaultyLink(service, hub.keys[MACHINE], Random(0), 0)
    parts = CollectorParts(
        queue=ShipQueue(store, lambda _: True),
        shipper=SourceShipper(store, stores.roots, "raw"),
        envelopes=EnvelopeMaker("raw", 0, version="1", platform="Linux"),
        outputs=OutputQueue(store, "raw", lambda _: True),
        tombstones=TombstoneQueue(stores.roots),
        link=lambda: link,
        now=lambda: now,
        longest_wait=0.001,
    )
    Collector(parts, Event()).run(once=True)
    maintenance = HubMaintenance(hub.pool, pricer, "", weeks_ahead=0)
    while maintenance.step():
        pass


class _MachineNames:
    """A hub's server, whose answers have the names of the machine."""

    def __init__(self, site: Asks) -> None:
        self._site = site

    def ask(self, path: str, method: str = "GET", **given: Any) -> httpx.Response:
        """One request with the token."""
        answer = self._site.ask(path, method, **given)
        return httpx.Response(answer.status_code, text=_here(answer.text))


def _here(text: str) -> str:
    return text.replace(PREFIX, "").replace(f"{MACHINE}:", "")


class HubOfOne:
    """A hub to which one machine sends what it has indexed."""

    def __init__(self, hub: HubDatabase, workspace: Workspace) -> None:
        self._hub, self._workspace = hub, workspace
        self._socket = OpenLink(hub.machine(MACHINE), "socket")
        self._live = LiveTable(hub.pool)
        (self._person,) = hub.people.people()

    def asked(self, keys: Iterable[Key], *, rows: bool = True) -> Surfaces:
        """What it says of all sessions, once the machine has sent all it has.

        `keys` are those that the machine knows; with `rows`, views are compared row by row.
        """
        with self._workspace.here():
            self._take_in()
            with self._site() as site:
                named = self._mark(site)
                there = _MachineNames(site)
                found = {**served_lists(there), **sql_answers(self._sql, self._workspace.now)}
                known = sorted({*keys, *(key for answers in found.values() for key in answers)})
                places = [(PREFIX + project, session) for project, session in known]
                for name, answers in served_sessions(there, places).items():
                    found[name] = {(_here(at), id): facts for (at, id), facts in answers.items()}
        note_absent(found, known)
        _leave_out(found, UNKNOWN, known)
        _leave_out(found, UNKNOWN_OF_NAMED, named)
        if (self._workspace.home / "quota.jsonl").exists():
            _leave_out(found, UNKNOWN_OF_LIMITED, known)
        views = {"sql views": self._workspace.sql, HUB + "sql views": self._sql} if rows else {}
        return {HUB + name: answers for name, answers in found.items()} | view_rows(views, known)

    def _take_in(self) -> None:
        stores, now = open_stores(), self._workspace.now
        with closing(stores.writing()) as store:
            send(self._hub, stores, store, now)
        with closing(unspool.open(self._workspace.root, now=now)) as library:
            self._take_board(library.board())

    def _take_board(self, board: Board) -> None:
        """As a socket does, both of its ends."""
        now = self._workspace.now
        self._live.opened(self._socket, Hello(mode="raw", clock=now), now)
        sent = SentRows(lambda _: True, "raw").encoded(board, MOST_ROWS).values()
        rows = (hub_row(msgspec.json.decode(one, type=BoardRow), MACHINE) for one in sent)
        assert self._live.put(self._socket, dict(filter(None, rows)), whole=True, now=now)

    @contextmanager
    def _site(self) -> Iterator[Site]:
        view = HubView(self._hub.pool, self._person.owner, weeks_ahead=0)
        now, home = (lambda: self._workspace.now), self._workspace.home
        made = page_context(view, self._person, config.prices(), home=home, now=now)
        with closing(made), closing(Site(made)) as site:
            yield site

    def _mark(self, site: Asks) -> list[Key]:
        """A person makes the same marks here, as those of a machine stay there; the named ones."""
        with closing(open_stores().writing()) as store:
            marks = store.marks.all()
        for one in marks.values():
            told = {"pinned": one.pinned, "hidden": one.hidden, "title": one.title}
            path = f"/api/sessions/{one.session_id}?project={PREFIX}{one.project_id}"
            answer = site.ask(path, "PATCH", json=told)
            assert answer.status_code == 200, answer.text
        return [key for key, one in marks.items() if one.title]

    def _sql(self, query: str) -> list[Json]:
        """Rows of a view, asked as its readers ask."""
        with self._hub.pool.connection() as connection, connection.transaction():
            connection.execute("SET LOCAL ROLE unspool_reader")
            cursor = connection.cursor(row_factory=dict_row)
            rows = cursor.execute(query.encode()).fetchall()
        return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _leave_out(found: Surfaces, fields: Iterable[tuple[str, str]], keys: Iterable[Key]) -> None:
    for surface, field in fields:
        for key in keys:
            found[surface].get(key, {}).pop(field, None)


def view_rows(asks: Mapping[str, Sql], keys: Iterable[Key]) -> Surfaces:
    """What two databases have in their views, row by row, of the columns that both have."""
    found: Surfaces = {name: {key: {} for key in keys} for name in asks}
    for view in VIEWS if asks else ():
        rows = {name: ask(f"SELECT * FROM {view}") for name, ask in asks.items()}  # noqa: S608
        both = set.intersection(*(set(some[0] if some else ()) for some in rows.values()))
        columns = sorted(both - NUMBERS - FIELDS.get(view, set()))
        for name, some in rows.items():
            for key in keys:
                found[name][key][f"{view}_rows"] = sorted(
                    PLACE.sub("l:", repr([(column, row[column]) for column in columns]))
                    for row in some
                    if (row["project_id"], row["session_id"]) == key
                )
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _here(value)
    return int(value) if type(value).__name__ == "Decimal" else value
