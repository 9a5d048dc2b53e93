"""Every route of a hub, for everybody who may come; a route that is not in the table fails.

The routes are those of the apps themselves. Each line of the table says who may use a route, what
is sent, and how people are answered about their own work; about somebody else's a member gets 404.
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import pytest
from litestar import Litestar
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.hub.machines import HubDatabase
from tests.hub.made import envelope
from tests.hub.team import COMMON, WORDS, Ids, Team, first_step, team_hub
from tests.serve.walks import Way, ways
from tests.waiting import until
from unspool.hub.app import MACHINE_PATHS, machine_app
from unspool.hub.envelope import sealed
from unspool.hub.views import HubPages
from unspool.model.secondary import PATH as SECONDARY

PEOPLE = ("ada", "lea", "adam")
STRANGERS = ("", "uk_laptop", "uk_revoked")
EMPTY_ENVELOPE = sealed(envelope())


class Rule(NamedTuple):
    """Whom a route is for, what a request has, and the status for people about their own work."""

    who: Literal["open", "people", "admin", "machine", "token"]
    status: int = 200
    query: str = ""
    others: int = 404  # where a member names somebody else's work
    given: dict[str, Any] = {}  # noqa: RUF012 - never changed


FORM = {"content-type": "application/x-www-form-urlencoded"}
_SESSION, _PARTS = "/api/sessions/{project_id}/{session_id}", "{project_id}/{session_id}"
TABLE: dict[tuple[str, str], Rule] = {
    # Signing in and out, and what its page needs.
    ("POST", "/api/enter"): Rule("open", 401, given={"json": {"token": "wrong"}}),
    ("POST", "/enter"): Rule("open", 401, given={"content": "code=wrong", "headers": FORM}),
    ("GET", "/enter"): Rule("open"),
    ("GET", "/static/enter.js"): Rule("open"),
    ("GET", "/static/enter.css"): Rule("open"),
    ("POST", "/logout"): Rule("people"),
    ("POST", "/api/invitations"): Rule("people", 201),
    # Routes of machines, and the state of the hub.
    ("POST", "/api/enrol"): Rule("open", 401, given={"json": {"code": "x", "name": "new"}}),
    ("GET", "/api/ingest/state"): Rule("machine"),
    ("POST", "/api/ingest"): Rule(
        "machine", given={"content": EMPTY_ENVELOPE, "headers": {"content-encoding": "zstd"}}
    ),
    ("GET", "/api/hub"): Rule("token"),
    # Lists: of what one may see.
    ("GET", "/api/status"): Rule("people"),
    ("GET", "/api/cost"): Rule("people", query="?by=session"),
    ("GET", "/api/files"): Rule("people"),
    ("GET", "/api/health"): Rule("people"),
    ("GET", "/api/index"): Rule("people"),
    ("GET", "/api/projects"): Rule("people"),
    ("GET", "/api/search"): Rule("people", query=f"?q={COMMON}"),
    ("GET", "/api/sessions"): Rule("people"),
    ("GET", "/api/machines"): Rule("people"),
    ("GET", "/"): Rule("people"),
    ("GET", "/part/board"): Rule("people"),
    ("GET", "/files"): Rule("people"),
    ("GET", "/part/files"): Rule("people"),
    ("GET", "/health"): Rule("people"),
    ("GET", "/machines"): Rule("people"),
    ("GET", "/patterns"): Rule("people"),
    ("GET", "/part/search"): Rule("people", query=f"?q={COMMON}"),
    ("GET", "/search"): Rule("people", query=f"?q={COMMON}"),
    ("GET", "/part/sessions"): Rule("people"),
    ("GET", "/projects"): Rule("people"),
    ("GET", "/sessions"): Rule("people"),
    ("GET", "/part/spend"): Rule("people"),
    ("GET", "/part/spend/sessions"): Rule("people"),
    ("GET", "/spend"): Rule("people"),
    ("GET", "/tools"): Rule("people"),
    ("GET", "/jump"): Rule("people", 303, query="?id={session_id}"),
    # Nobody's data.
    ("GET", "/theme"): Rule("people", 303, query="?to=dark&back=/"),
    ("GET", "/favicon.ico"): Rule("people", 204),
    ("GET", "/static/{name}"): Rule("people", 404),
    ("GET", "/schema"): Rule("people"),
    ("GET", "/schema/openapi.json"): Rule("people"),
    ("GET", "/schema/{path}"): Rule("people", 404),
    # One session, project, event or machine.
    ("GET", "/api/sessions/{session_id}/events"): Rule("people"),
    ("GET", "/api/sessions/{session_id}/events/main"): Rule("people"),
    ("GET", "/api/sessions/{session_id}/events/subagent/{agent_id}"): Rule("people"),
    ("GET", "/api/sessions/{session_id}/events/{event_id}/full"): Rule("people"),
    ("PATCH", "/api/sessions/{session_id}"): Rule("people", given={"json": {"pinned": True}}),
    ("GET", "/api/export/{project_id}/{session_id}"): Rule("people", query="?format=jsonl"),
    ("GET", "/api/blob/{event_id}/{n}"): Rule("people", 404),
    ("POST", "/api/reveal/{event_id}"): Rule("people", given={"json": {}}),
    ("GET", "/api/projects/{project_id}/sessions"): Rule("people"),
    ("GET", _SESSION): Rule("people"),
    ("GET", f"{_SESSION}/subagents/{{agent_id}}"): Rule("people"),
    ("GET", f"{_SESSION}/context"): Rule("people"),
    ("GET", f"{_SESSION}/metrics"): Rule("people"),
    ("GET", f"{_SESSION}/raw/{{line}}"): Rule("people"),
    ("GET", f"{_SESSION}/tools"): Rule("people"),
    ("GET", f"{_SESSION}/turns"): Rule("people"),
    ("GET", f"{_SESSION}/waterfall"): Rule("people"),
    ("GET", f"/s/{_PARTS}"): Rule("people"),
    ("GET", f"/part/rest/{_PARTS}"): Rule("people"),
    ("GET", f"/part/at/{_PARTS}/{{step}}"): Rule("people"),
    # A machine keeps its plans: whether a person is told so is what is asked here.
    ("GET", f"/part/plan/{_PARTS}"): Rule("people", 404),
    ("GET", f"/part/range/{_PARTS}"): Rule("people"),
    ("GET", f"/part/step/{_PARTS}/{{step}}"): Rule("people"),
    ("GET", f"/part/steps/{_PARTS}"): Rule("people"),
    ("GET", f"/part/tail/{_PARTS}"): Rule("people"),
    ("GET", f"/part/window/{_PARTS}"): Rule("people"),
    ("GET", f"/part/spend/turns/{_PARTS}"): Rule("people"),
    ("GET", "/projects/{project_id}"): Rule("people"),
    ("GET", "/part/sessions/{project_id}"): Rule("people"),
    ("GET", "/api/machines/{machine}"): Rule("people"),
    ("GET", "/machines/{machine}"): Rule("people"),
    # It is not connected; whether it is told so is what is asked here.
    ("GET", "/api/machines/{machine}/lines"): Rule("people", 504, query="?event={event_id}"),
    ("POST", "/api/events"): Rule("people", 404, given={"json": {}}),
    # For admins.
    ("GET", "/api/audit"): Rule("admin"),
    ("GET", "/machines/audit"): Rule("admin"),
    ("POST", "/machines/revoke"): Rule("admin", 303, given={"headers": FORM}),
    ("POST", "/machines/rotate"): Rule("admin", given={"headers": FORM}),
    # Live; how sockets are told of others' sessions is a test of its own.
    ("", "/api/dashboard"): Rule("people", 101),
}
FILTERED = (
    "/api/sessions", "/sessions", "/part/sessions", "/api/files", "/files", "/spend", "/tools",
    "/part/spend",
)  # fmt: skip
VARIES = {"n": "0", "line": "1", "name": "x", "path": "x", "from": "0"}


@pytest.fixture(scope="module")
def walked(
    cluster: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Team, HubPages]]:
    """One hub for all walks: what they change is told apart by who it is of."""
    made = HubDatabase()
    with team_hub(made, tmp_path_factory.mktemp("team")) as (team, pages):
        made.machine("gone", "ada")
        made.people.revoke("gone", team.clock())
        team.tokens |= {"uk_laptop": made.keys["laptop"], "uk_revoked": made.keys["gone"]}
        for name, ids in team.ids.items():
            page = team.ask("lea", "GET", f"/s/{ids.project_id}/{ids.session_id}").text
            team.ids[name] = ids._replace(step=first_step(page))
        yield team, pages
    made.close()


def every_way(apps: tuple[Litestar, ...]) -> list[Way]:
    return [way for app in apps for way in ways(app)]


def apps(team: Team, pages: HubPages) -> tuple[Litestar, Litestar]:
    return pages.app, machine_app(team.service, team.maintenance, team.links)


def answer(team: Team, who: str, way: Way, ids: Ids) -> tuple[int, bytes]:
    """The status and all that came: of a socket 101, or why it was refused."""
    rule = TABLE[way.method, way.path]
    path = (way.path + rule.query).format(**{**VARIES, **ids._asdict()})
    if not way.method:
        try:
            with team.listen(who, path) as socket:
                return 101, str(socket.recv(timeout=60)).encode()
        except InvalidStatus as error:
            return error.response.status_code, bytes(error.response.body or b"")
        except ConnectionClosed as error:  # it may have sent a token as its first message
            return error.rcvd.code - 4000 if error.rcvd else 0, b""
    given = dict(rule.given)
    if way.path in ("/machines/revoke", "/machines/rotate"):
        given["content"] = f"machine={ids.machine}"
    found = team.ask(who, way.method, path, **given)
    return found.status_code, found.content + repr(found.headers).encode()


def expected(who: str, rule: Rule) -> int:
    """The status of somebody who asks about their own work, by the table."""
    if rule.who == "open":
        return rule.status
    if rule.who == "machine":
        return rule.status if who == "uk_laptop" else 401
    if who in STRANGERS:
        return 401
    if rule.who == "admin" and who != "adam":
        return 403
    return rule.status


def test_every_route_is_in_the_table_and_in_its_app(walked: tuple[Team, HubPages]) -> None:
    pages, machines = apps(*walked)
    found = {(way.method, way.path) for way in every_way((pages, machines))}

    assert {one for one in found if one[0] not in ("OPTIONS", "HEAD")} == set(TABLE)
    # The sockets of machines have tests of their own; whose lines may be asked for is here.
    of_machines = MACHINE_PATHS - {SECONDARY} | {"/api/machines/{machine}/lines"}
    assert {way.path for way in ways(machines)} == of_machines
    assert not {way.path for way in ways(pages)} & MACHINE_PATHS


@pytest.mark.parametrize("who", [*STRANGERS, *PEOPLE])
def test_everybody_gets_what_the_table_says(walked: tuple[Team, HubPages], who: str) -> None:
    """adam is the last: what an admin does with a machine would change what others get."""
    team, _ = walked
    ids, wrong = team.ids["ada"], {}
    for way in every_way(apps(*walked)):
        if way.method in ("OPTIONS", "HEAD"):
            continue
        if way.path == "/machines/revoke" and who == "adam":
            team.hub.machine("spare", "ada")
            status, _ = answer(team, who, way, ids._replace(machine="spare"))
        else:
            status, _ = answer(team, who, way, ids)
        team.clock.at += 60_000  # wrong secrets are counted for a minute
        if status != expected(who, TABLE[way.method, way.path]):
            wrong[way] = status

    assert wrong == {}


@pytest.mark.parametrize("who", STRANGERS)
def test_no_other_method_opens_anything(walked: tuple[Team, HubPages], who: str) -> None:
    team, _ = walked
    found = {}
    for way in ways(walked[1].app):
        if way.method in ("OPTIONS", "HEAD") and not way.is_open:
            path = way.path.format(**{**VARIES, **team.ids["ada"]._asdict()})
            found[way] = team.ask(who, way.method, path).status_code
            team.clock.at += 60_000

    assert set(found.values()) == {401}


def mixed(mine: Ids, theirs: Ids) -> list[Ids]:
    """Somebody else's ids, all of them, and each beside one's own."""
    names = ("project_id", "session_id", "agent_id", "machine", "event_id", "step")
    each = [mine._replace(**{name: getattr(theirs, name)}) for name in names]
    return [theirs, *(one for one in each if one != mine)]


def test_somebody_elses_work_is_not_there(walked: tuple[Team, HubPages]) -> None:
    """A lead finds it by the same addresses, so it is there to be found."""
    team, _ = walked
    mine, theirs = team.ids["ada"], team.ids["bob"]
    word, shown = WORDS["bob"].encode(), set[str]()
    wrong: dict[tuple[Way, Ids | str], tuple[int, bool]] = {}
    for way in every_way(apps(*walked)):
        rule = TABLE.get((way.method, way.path), Rule("open"))
        form = way.path in ("/machines/revoke", "/machines/rotate")
        named = {*way.names, *(["session_id"] if "{session_id}" in rule.query else [])}
        named |= {"machine"} if form else set()
        if rule.who not in ("people", "admin") or not named & set(mine._fields):
            continue
        for ids in mixed(mine, theirs):
            if all(getattr(ids, name, "") == getattr(mine, name, "") for name in named):
                continue
            status, body = answer(team, "ada", way, ids)
            if status != rule.others or word in body.lower():
                wrong[way, ids] = status, word in body.lower()
        if not form:
            status, body = answer(team, "lea", way, theirs)
            if status != rule.status:
                wrong[way, "lea"] = status, False
            shown |= {way.path} if word in body.lower() else set()

    assert wrong == {}
    assert len(shown) > 15


def test_lists_searches_and_sums_have_nothing_of_others(walked: tuple[Team, HubPages]) -> None:
    """Also where a filter names them; what is asked for may be said again, and is not searched."""
    team, _ = walked
    theirs, wrong, shown = team.ids["bob"], {}, set()
    lists = [(path, rule) for (method, path), rule in TABLE.items() if method == "GET"]
    asked = [path + rule.query for path, rule in lists if rule.who == "people"]
    asked = [path for path in asked if "{" not in path]
    filters = ("machine=desk", "project=home-bob", f"project={theirs.project_id}", "path=bob")
    asked += [f"{path}?{one}" for one in filters for path in FILTERED]
    asked += [f"{path}?q={COMMON}&{one}" for one in filters for path in ("/api/search", "/search")]
    asked += [f"/api/cost?by={by}" for by in ("session", "project", "model", "tool", "agent")]
    assert until(lambda: WORDS["bob"] in team.ask("lea", "GET", f"/api/search?q={COMMON}").text)
    for path in asked:
        answered = team.ask("ada", "GET", path)
        text = answered.text.lower()
        hidden = [WORDS["bob"], *(["bob-session", "desk"] if "desk" not in path else [])]
        if found := [one for one in hidden if one in text and one not in path]:
            wrong[path] = found
        if answered.status_code >= 500:
            wrong[path] = [str(answered.status_code)]
        shown |= {path} if "bob-session" in team.ask("lea", "GET", path).text else set()

    assert wrong == {}
    assert len(shown) > 8


def test_a_socket_tells_nothing_of_others(walked: tuple[Team, HubPages]) -> None:
    team, _ = walked
    with team.listen("ada") as mine, team.listen("lea") as lead:
        for socket in (mine, lead):
            for name in ("ada-session", "bob-session"):
                socket.send(f'{{"type":"subscribe","sessionId":"{name}"}}')
            socket.send('{"type":"nonsense"}')  # its answer says that all before it was done
            while "error" not in socket.recv(timeout=60):
                pass
        team.say_more("bob", f"more {WORDS['bob']}")
        told = ""
        while f"more {WORDS['bob']}" not in told:
            told = str(lead.recv(timeout=60))
        team.say_more("ada", f"more {WORDS['ada']}")
        news: list[str] = []
        while not any(f"more {WORDS['ada']}" in one for one in news):
            news.append(str(mine.recv(timeout=60)))

    assert not [one for one in news if WORDS["bob"] in one or "bob-session" in one]


def test_pages_of_a_team_have_more_sockets_than_those_of_one(
    walked: tuple[Team, HubPages],
) -> None:
    team, pages = walked
    open_ones, pages.guard._sockets = pages.guard._sockets, 500
    try:
        with team.listen("ada") as socket:
            assert socket.recv(timeout=60)  # it was let in, and is told something
    finally:
        pages.guard._sockets += open_ones - 500


def test_marks_are_a_persons_own(walked: tuple[Team, HubPages]) -> None:
    team, _ = walked
    ids = team.ids["bob"]
    path, page = f"/api/sessions/{ids.session_id}", f"/api/sessions?machine={ids.machine}"

    def title(who: str) -> str:
        (row,) = team.ask(who, "GET", page).json()["items"]
        return str(row["session"]["title"])

    before = title("bob")
    assert team.ask("lea", "PATCH", path, json={"title": "the lead's name"}).status_code == 200

    assert until(lambda: title("lea") == "the lead's name")
    assert (title("bob"), title("adam")) == (before, before)
