"""People of a hub: links that sign in once, roles that take effect at once, and what is noted."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.hub.machines import HubDatabase
from tests.hub.team import WORDS, Team, team_hub
from tests.plain_http import NO_TLS
from unspool.cli import config, main
from unspool.hub.policy import REMEMBERED_MS
from unspool.serve.auth import middleware
from unspool.store.postgres.logins import LOGIN_CODE_MS, LOGIN_MS, LoginTable

PAGE = {"accept": "text/html"}


@pytest.fixture
def team(hub: HubDatabase, tmp_path: Path) -> Iterator[Team]:
    with team_hub(hub, tmp_path) as (made, _):
        yield made


class Browser:
    """One browser: it keeps its cookie, and says where it comes from."""

    def __init__(self, team: Team) -> None:
        self._team = team
        self._client = httpx.Client(base_url=team.url, verify=NO_TLS, timeout=60)
        self._client.headers["origin"] = team.url

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def sign_in(self, secret: str) -> httpx.Response:
        return self._client.post("/api/enter", json={"token": secret})

    def get(self, path: str) -> httpx.Response:
        return self._client.get(path, headers=PAGE)

    def post(self, path: str, **fields: str) -> httpx.Response:
        return self._client.post(path, data=fields, headers=PAGE)

    def socket(self) -> AbstractContextManager[ClientConnection]:
        url = self._team.url.replace("http", "ws", 1) + "/api/dashboard"
        cookie = "; ".join(f"{name}={value}" for name, value in self._client.cookies.items())
        return connect(url, origin=Origin(self._team.url), additional_headers={"cookie": cookie})


def closing_code(socket: ClientConnection) -> int:
    """The code with which a socket is closed, whatever it is told before."""
    try:
        while True:
            socket.recv(timeout=60)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def link_code(team: Team, name: str) -> str:
    return LoginTable(team.hub.pool).new_code(team.identities[name].owner, team.clock())


def test_a_link_signs_one_browser_in_once(team: Team) -> None:
    code = link_code(team, "ada")
    late = link_code(team, "ada")
    with Browser(team) as first, Browser(team) as second:
        assert first.get("/sessions").status_code == 401
        assert first.sign_in(code).status_code == 204
        assert second.sign_in(code).json()["detail"].startswith("This code has already been used")
        assert WORDS["ada"] in first.get("/sessions").text
        assert (first.get("/api/audit").status_code, second.get("/").status_code) == (403, 401)
        team.clock.at += LOGIN_CODE_MS
        assert "expired" in second.sign_in(late).json()["detail"]
        assert first.get("/sessions").status_code == 200
        team.clock.at += LOGIN_MS
        assert first.get("/sessions").status_code == 401


def test_a_token_signs_in_too_and_signing_out_ends_it_for_every_hub(team: Team) -> None:
    with Browser(team) as browser:
        assert browser.sign_in(team.tokens["bob"]).status_code == 204
        cookie = dict(browser._client.cookies)
        assert browser.get("/sessions").status_code == 200
        with browser.socket() as socket:
            socket.recv(timeout=60)
            assert browser.post("/logout").status_code == 200
            assert closing_code(socket) == 4401
        browser._client.cookies.update(cookie)

        assert browser.get("/sessions").status_code == 401
        (secret,) = cookie.values()
        assert LoginTable(team.hub.pool).by_cookie(secret, team.clock()) is None


def test_wrong_codes_are_counted(team: Team) -> None:
    with Browser(team) as browser:
        found = [browser.sign_in(f"ul_{number}").status_code for number in range(11)]
        code, token = link_code(team, "ada"), team.tokens["ada"]
        untried = [browser.sign_in(secret).status_code for secret in (code, token)]
        team.clock.at += 60_000
        tried = [browser.sign_in(secret).status_code for secret in (code, token)]

    assert found == [401] * 10 + [429]
    assert (untried, tried) == ([429, 429], [204, 204])


def test_an_invitation_is_for_who_asks(team: Team) -> None:
    code = team.ask("ada", "POST", "/api/invitations").json()["code"]
    with Browser(team) as browser:
        assert browser.sign_in(code).status_code == 204
        found = browser.get("/api/sessions").json()["items"]

    assert {one["session"]["id"] for one in found} == {"ada-session"}


@pytest.mark.parametrize("change", ["role", "close"])
def test_who_sees_less_does_so_within_five_seconds(
    team: Team, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the hub's clock for what is remembered, on the wall's for sockets that are open."""
    assert REMEMBERED_MS + middleware._LOOK_EVERY * 1_000 < 5_000
    monkeypatch.setattr(middleware, "_LOOK_EVERY", 0.05)
    path = f"/s/{team.ids['bob'].project_id}/bob-session"
    assert WORDS["bob"] in team.ask("lea", "GET", path).text
    with team.listen("lea") as socket:
        socket.recv(timeout=60)
        people = team.hub.people
        if change == "role":
            people.set_role("lea", "member", team.clock())
        else:
            people.close_person("lea", team.clock())
        assert team.ask("lea", "GET", path).status_code == 200
        team.clock.at += REMEMBERED_MS
        assert closing_code(socket) == 4401

    assert team.ask("lea", "GET", path).status_code == (404 if change == "role" else 401)


def test_a_closed_person_takes_their_machines_along_and_leaves_what_they_sent(team: Team) -> None:
    key, people = team.hub.keys["desk"], team.hub.people
    with Browser(team) as browser:
        browser.sign_in(link_code(team, "bob"))
        people.close_person("bob", team.clock())
        team.clock.at += 5_000
        assert browser.get("/sessions").status_code == 401
    assert team.ask(key, "GET", "/api/ingest/state").status_code == 401
    assert WORDS["bob"] in team.ask("lea", "GET", "/sessions").text

    token = people.add_person("bob", "member", team.clock())
    team.clock.at += 5_000
    assert WORDS["bob"] in team.ask(token, "GET", "/sessions").text
    assert team.ask(team.tokens["bob"], "GET", "/sessions").status_code == 401
    assert team.ask(key, "GET", "/api/ingest/state").status_code == 200


def test_a_machine_of_ones_own_has_a_page_and_a_managed_one_buttons(team: Team) -> None:
    own, admins = (team.ask(who, "GET", "/machines/laptop").text for who in ("ada", "adam"))

    assert "-home-ada" in own
    assert ("Revoke" in own, "Revoke" in admins) == (False, True)
    with Browser(team) as browser:
        browser.sign_in(team.tokens["adam"])
        asked = browser.get("/machines/laptop?ask=revoke").text
        assert "Revoke laptop?" in asked
        rotated = browser.post("/machines/rotate", machine="laptop")
        assert (rotated.status_code, "--code ue_" in rotated.text) == (200, True)
        assert browser.post("/machines/revoke", machine="laptop").headers["location"] == (
            "/machines/laptop"
        )
        assert "revoked" in browser.get("/machines/laptop").text
        forged = browser._client.post(
            "/machines/revoke", data={"machine": "desk"}, headers={"origin": "https://evil.test"}
        )
    team.clock.at += 5_000

    assert forged.status_code == 403
    found = [team.hub.people.by_key(team.hub.keys[name], team.clock()) for name in
             ("laptop", "desk")]  # fmt: skip
    assert [one is None for one in found] == [True, False]


def test_the_team_is_only_a_sum_to_a_member(team: Team) -> None:
    mine, all_of_them = (team.ask(who, "GET", "/machines").text for who in ("ada", "lea"))

    assert "The whole team today: 2 machines" in mine
    assert (">desk<" in mine, ">bob<" in mine) == (False, False)
    assert (">desk<" in all_of_them, ">bob<" in all_of_them) == (True, True)


def test_what_people_do_is_noted_without_secrets(team: Team) -> None:
    ids = team.ids["ada"]
    session = f"{ids.project_id}/{ids.session_id}"
    with Browser(team) as browser:
        browser.sign_in(code := link_code(team, "ada"))
        browser.get(f"/api/export/{session}?format=md")
        browser.get(f"/api/sessions/{session}/raw/1")
        browser._client.post(f"/api/reveal/{ids.event_id}", json={})
        browser.get(f"/s/{session}?view=raw&line=2")
        browser.post("/logout")
    team.hub.people.revoke("desk", team.clock())
    path, found = "/api/audit?limit=3", list[dict[str, Any]]()
    while path:
        page = team.ask("adam", "GET", path).json()
        found += page["items"]
        path = f"/api/audit?limit=3&cursor={page['nextCursor']}" if page["nextCursor"] else ""
    mine = [(one["what"], one["about"]) for one in reversed(found) if one["person"] == "ada"]

    assert mine == [
        ("signed in", ""),
        ("exported", f"{session} as md"),
        ("read raw", f"{session} line 1"),
        ("revealed", f"{session} {ids.event_id}"),
        ("read raw", f"{session} line 2"),
        ("signed out", ""),
    ]
    assert found[0]["what"] == "revoked"
    assert {one["what"] for one in found} >= {"person added", "enrolment code made", "enrolled"}
    assert {one["address"] for one in found if one["what"] == "signed in"} == {"127.0.0.1"}
    text, html = json.dumps(found), team.ask("adam", "GET", "/machines/audit").text
    for secret in (code, *team.tokens.values(), *team.hub.keys.values()):
        assert secret not in text + html
    assert "signed in" in html


def run(hub: HubDatabase, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main(["hub", *words, "--database-url", hub.url, "--json"]) == 0
    said = capsys.readouterr().out
    return json.loads(said) if said else None


def test_the_command_adds_changes_lists_and_closes(
    hub: HubDatabase, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(hub, capsys, "init", "root", "--public-url", "https://hub.example.com")
    assert first["login"].startswith("https://hub.example.com/enter#t=ul_")
    hub.people.set_address("http://u-x.localhost:4200")
    added = run(hub, capsys, "person", "ada", "--role", "lead")
    again = run(hub, capsys, "person", "ada")
    code = again["login"].removeprefix("http://u-x.localhost:4200/enter#t=")
    assert ("token" in added, "token" in again) == (True, False)
    person = LoginTable(hub.pool).use_code(code, config.now())
    assert person == hub.people.by_token(added["token"])

    run(hub, capsys, "person", "ada", "--role", "member")
    rows = run(hub, capsys, "person")
    assert [(one["name"], one["role"]) for one in rows] == [("root", "admin"), ("ada", "member")]
    assert run(hub, capsys, "person", "ada", "--close") is None
    assert run(hub, capsys, "person")[1]["closedAt"] is not None
    assert main(["hub", "person", "ada", "--close", "--database-url", hub.url]) != 0
    assert main(["hub", "person", "--close", "--database-url", hub.url]) != 0
    assert hub.people.by_token(added["token"]) is None
