"""No request of a hub reads more because its history is longer: rows are counted, not time."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.history import HALF_DAY, History, counted
from tests.hub.machines import HubDatabase
from tests.serve.served import Served
from tests.serve.walks import ways
from tests.store.made import START
from unspool.cli import config
from unspool.engine.sessions import listing, session_list
from unspool.hub.pages import HubView, page_context
from unspool.model.shipping import PersonIdentity
from unspool.serve.context import ServerContext
from unspool.store.postgres import edits
from unspool.store.postgres.database import open_pool
from unspool.store.postgres.search import hits
from unspool.store.postgres.store import PostgresStore

NOW = START + HALF_DAY
ADMIN = PersonIdentity(1, "ada", "admin")
SESSIONS = 180  # 90 days: as many as any window of time that is asked for below
SINCE = "since=2025-09-12"
ONE = "laptop~-repo-0/s00000"
ASKED = (
    *("/", "/part/board", "/api/status", "/api/health", "/api/index", "/health", "/machines"),
    *("/machines/laptop", "/api/machines/laptop", "/machines/audit", "/api/audit"),
    *("/api/machines", "/sessions", "/part/sessions", "/sessions?show=pinned"),
    *(f"/sessions?sort={sort}" for sort in ("cost", "title", "status")),
    *("/sessions?branch=b1", "/sessions?q=nothing+has+this", "/sessions?status=working"),
    *("/sessions?machine=desk", "/sessions?project=repo-1", "/api/sessions"),
    *("/api/sessions?sort=cost", "/api/sessions?machine=desk", "/projects"),
    *("/projects/laptop~-repo-0", "/part/sessions/laptop~-repo-0", "/api/projects"),
    *("/api/projects/laptop~-repo-0/sessions", "/jump?id=s00000"),
    *("/spend", "/part/spend", "/spend?project=repo-1", f"/part/spend/turns/{ONE}"),
    *("/part/spend/sessions?project=laptop~-repo-1", "/tools", "/spend?machine=desk"),
    *("/part/spend/sessions?project=repo-1&machine=laptop", "/tools?machine=desk"),
    *(f"/api/cost?{SINCE}&by={by}" for by in ("daily", "session", "project", "model", "tool")),
    *(f"/api/cost?{SINCE}&machine=desk&by={by}" for by in ("daily", "session", "project", "tool")),
    *(f"/{one}?q=done&machine=desk" for one in ("search", "part/search", "api/search")),
    "/api/search?q=done&project=repo-1",
    *("/search?q=done", "/part/search?q=prompt", "/api/search?q=done"),
    *("/files", "/part/files", "/api/files", "/files?machine=desk", "/api/files?machine=desk"),
    *(f"/s/{ONE}", f"/part/tail/{ONE}", f"/part/window/{ONE}?first=0&limit=1"),
    *(f"/part/steps/{ONE}", f"/part/rest/{ONE}", f"/api/export/{ONE}?format=markdown"),
    f"/part/plan/{ONE}",
    *(f"/part/at/{ONE}/x", f"/part/range/{ONE}?from=x&to=x"),
    *(f"/api/sessions/{ONE}{part}" for part in ("", "/context", "/metrics", "/tools", "/turns")),
    *(f"/api/sessions/{ONE}/waterfall", f"/api/sessions/{ONE}/raw/1"),
    *("/api/sessions/s00000/events", "/api/sessions/s00000/events/main"),
)
# Asked for by what an answer above leads to, in a session that is opened in the same way.
INSIDE = re.compile(r"/(events|subagents|blobs?|reveal|agent|body|call|chunk|image|step|thread)\b")
WITHOUT_SESSIONS = re.compile(r"/(static|enter|favicon|theme|patterns|schema|ws|api/openapi)")


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read at once is less than what there is, as it is on a hub."""
    monkeypatch.setattr(listing, "_PAGE", 15)
    monkeypatch.setattr(session_list, "MAX_SCANNED", 30)
    monkeypatch.setattr(edits, "_NEWEST", 60)
    monkeypatch.setattr(hits, "_COUNTED", 30)
    defaults = PostgresStore.facets.__kwdefaults__ or {}
    monkeypatch.setitem(defaults, "newest", 60)


def asked(hub: HubDatabase, home: Path) -> Iterator[tuple[str, int, int]]:
    """Each address, the status it gave, and how much a hub read that had just been started."""
    for address in ASKED:
        pool = open_pool(hub.url, 4)
        view = HubView(pool, 1, weeks_ahead=0)
        context: ServerContext = page_context(
            view, ADMIN, config.prices(), home=home, now=lambda: NOW
        )
        with counted(pool) as rows:
            status = Served(context).ask(address).status_code
        context.close()
        pool.close()
        yield address, status, rows[0]


@pytest.mark.slow
@pytest.mark.usefixtures("small_pages")
def test_no_request_reads_more_of_a_longer_history(hub: HubDatabase, tmp_path: Path) -> None:
    history = History(hub)
    history.grow(SESSIONS)
    before = {address: rows for address, _, rows in asked(hub, tmp_path)}
    history.grow(4 * SESSIONS)
    after = {address: (status, rows) for address, status, rows in asked(hub, tmp_path)}

    grown = {
        address: (before[address], rows)
        for address, (_, rows) in after.items()
        if rows > 1.5 * before[address] + 50
    }
    assert grown == {}
    assert {address: status for address, (status, _) in after.items() if status >= 500} == {}
    answered = [address for address, (status, _) in after.items() if status < 400]
    assert len(answered) > len(ASKED) * 0.6


def test_every_page_and_route_is_asked(hub: HubDatabase, tmp_path: Path) -> None:
    hub.person()
    view = HubView(hub.pool, 1, weeks_ahead=0)
    context = page_context(view, ADMIN, config.prices(), home=tmp_path, now=lambda: NOW)
    patterns = {
        way.path: re.compile(re.sub(r"\{[^}]*\}", "[^/?]+", way.path) + r"(\?|$)")
        for way in ways(Served(context).app)
        if way.method == "GET"
    }
    forgotten = {
        path
        for path, pattern in patterns.items()
        if not any(pattern.match(address) for address in ASKED)
    }
    elsewhere = {one for one in forgotten if INSIDE.search(one) or WITHOUT_SESSIONS.match(one)}
    assert forgotten - elsewhere == set()


def test_people_and_roots_are_looked_up_without_their_sessions(hub: HubDatabase) -> None:
    history = History(hub)
    history.grow(20)
    view = HubView(hub.pool, 1, weeks_ahead=0)
    with counted(hub.pool) as few:
        view.refresh()
    history.grow(80)
    with counted(hub.pool) as many:
        view.refresh()

    assert many[0] <= few[0] + 4


def test_other_prices_read_each_response_a_few_times(hub: HubDatabase) -> None:
    history = History(hub)
    read: list[int] = []
    for number, sessions in enumerate((20, 80)):
        history.grow(sessions)
        with counted(hub.pool) as rows:
            hub.store(1).reprice(lambda row, number=number: 7 + number, f"{number}")  # type: ignore[misc]
        read += rows

    assert read[1] <= 6 * read[0]  # four times as many; each with each would be sixteen
