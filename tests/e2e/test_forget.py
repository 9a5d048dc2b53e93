"""A forgotten session: no surface shows it or counts it, and each says how many there are."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.cli.made import talk
from tests.cli.servings import Serving, serving
from tests.e2e import cases_forgotten  # noqa: F401 - it fills the table
from tests.e2e.cases import CASES, PROJECT, Case
from tests.e2e.surfaces import asked
from tests.plain_http import NO_TLS
from tests.serve.live.listening import ids, known, page, save
from unspool.cli import main

FORGOTTEN = [
    one
    for one in CASES
    if "forgotten" in one.name and one.name != "a forgotten original is restored"
]


@pytest.mark.parametrize("case", FORGOTTEN, ids=lambda case: case.name)
def test_no_surface_knows_a_forgotten_session(case: Case, tmp_path: Path) -> None:
    workspace = case.workspace(tmp_path)
    found = asked(workspace, index=False)

    assert {name: answers for name, answers in found.items() if (PROJECT, "s0000") in answers} == {}
    with workspace.answering() as site:
        for path in ("/api/sessions/{}/{}", "/s/{}/{}", "/api/export/{}/{}?format=json"):
            assert site.ask(path.format(PROJECT, "s0000")).status_code == 404
        assert "1 session forgotten: not included." in site.ask("/spend").text
        assert site.ask("/api/cost").json()["forgotten"] == 1
        assert site.ask("/api/health").json()["forgotten"] == 1
        board = site.ask("/api/status").text
    assert "s0000" not in board
    assert workspace.run("show", "s0000") is None
    assert workspace.run("export", "s0000") is None
    words = workspace.json("search", "--json", "Forget")
    assert [hit for hit in words["items"] if hit["sessionId"] == "s0000"] == []


class Site(NamedTuple):
    """One server for all: each test has sessions of its own."""

    server: Serving
    place: Path
    home: Path

    def save(self, *sessions: str) -> None:
        """Have the server know these."""
        for session in sessions:
            save(talk(session), self.place)
        for session in sessions:
            assert known(self.server, session, 5)

    def forget(self, session: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLAUDE_CONFIG_DIR", str(self.place))
            patch.setenv("UNSPOOL_HOME", str(self.home))
            assert main(["forget", session, "--yes"]) == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home, place = tmp_path_factory.mktemp("unspool"), tmp_path_factory.mktemp("claude")
    talk("session-one").save(place)
    with serving(place, "--port", "0", UNSPOOL_HOME=str(home)) as server:
        yield Site(server, place, home)


def served(server: Serving, path: str) -> int:
    headers = {"authorization": f"Bearer {server.token}"}
    return httpx.get(f"{server.url}{path}", headers=headers, timeout=60, verify=NO_TLS).status_code


def test_who_shows_the_list_or_the_session_is_told_that_it_is_gone(site: Site) -> None:
    server = site.server
    site.save("gone", "stays")
    with page(server) as listing, page(server, "?lists=false") as one:
        one.subscribe("gone", events=False)
        assert one.until(lambda it: bool(it.of("session_updated")))
        assert served(server, "/s/-home-dev-kettle/gone") == 200
        site.forget("gone")

        for told in (listing, one):
            assert told.until(lambda it: bool(it.of("session_removed")))
            assert told.of("session_removed")[0]["sessionId"] == "gone"
    assert served(server, "/s/-home-dev-kettle/gone") == 404
    assert served(server, "/api/sessions/-home-dev-kettle/gone") == 404
    assert served(server, "/s/-home-dev-kettle/stays") == 200
    assert known(server, "stays", 5)


def test_what_goes_on_after_it_is_told_as_before(site: Site) -> None:
    """Lines of the index have other numbers then."""
    site.save("gone-before", "goes-on")
    with page(site.server) as told:
        told.subscribe("goes-on")
        site.forget("gone-before")
        save(talk("goes-on").says("one more"), site.place)

        assert known(site.server, "goes-on", 6)
        assert told.until(lambda it: bool(it.of("event_added")))
    events = ids(site.server, "goes-on")
    assert len(set(events)) == len(events) == 6


def test_its_events_are_not_taken_over_http(site: Site) -> None:
    site.save("told-of")
    site.forget("told-of")
    event = {"hook_event_name": "Stop", "session_id": "told-of", "cwd": "/home/dev/kettle"}
    headers = {"authorization": f"Bearer {site.server.token}"}
    sent = httpx.post(
        f"{site.server.url}/api/events", json=event, headers=headers, timeout=60, verify=NO_TLS
    )

    assert sent.status_code < 300
    spool = site.home / "spool"
    files = list(spool.iterdir()) if spool.is_dir() else []
    assert not any(b"told-of" in path.read_bytes() for path in files)
