"""A forgotten session: no surface shows it or counts it, and each says how many there are."""

from pathlib import Path

import httpx
import pytest

from tests.cli.made import talk
from tests.cli.servings import Serving, serving
from tests.e2e import cases_forgotten  # noqa: F401 - it fills the table
from tests.e2e.cases import CASES, PROJECT, Case
from tests.e2e.surfaces import asked
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


@pytest.fixture
def place(tmp_path: Path) -> Path:
    talk("session-one").save(tmp_path / "claude")
    talk("session-two", 2).save(tmp_path / "claude")
    return tmp_path / "claude"


def forget(place: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDE_CONFIG_DIR", str(place))
        assert main(["forget", "session-one", "--yes"]) == 0


def served(server: Serving, path: str) -> int:
    headers = {"authorization": f"Bearer {server.token}"}
    return httpx.get(f"{server.url}{path}", headers=headers, timeout=60).status_code


def test_who_shows_the_list_or_the_session_is_told_that_it_is_gone(place: Path) -> None:
    with serving(place) as server:
        assert known(server, "session-one", 5)
        assert known(server, "session-two", 5)
        with page(server) as listing, page(server, "?lists=false") as one:
            one.subscribe("session-one", events=False)
            assert one.until(lambda it: bool(it.of("session_updated")))
            assert served(server, "/s/-home-dev-kettle/session-one") == 200
            forget(place)

            for told in (listing, one):
                assert told.until(lambda it: bool(it.of("session_removed")))
                assert told.of("session_removed")[0]["sessionId"] == "session-one"
        assert served(server, "/s/-home-dev-kettle/session-one") == 404
        assert served(server, "/api/sessions/-home-dev-kettle/session-one") == 404
        assert served(server, "/s/-home-dev-kettle/session-two") == 200
        assert known(server, "session-two", 5)


def test_what_goes_on_after_it_is_told_as_before(place: Path) -> None:
    """Lines of the index have other numbers then."""
    with serving(place) as server:
        assert known(server, "session-two", 5)
        with page(server) as told:
            told.subscribe("session-two")
            forget(place)
            save(talk("session-two", 2).says("one more"), place)

            assert known(server, "session-two", 6)
            assert told.until(lambda it: bool(it.of("event_added")))
        events = ids(server, "session-two")
        assert len(set(events)) == len(events) == 6


def test_its_events_are_not_taken_over_http(place: Path, home: Path) -> None:
    with serving(place) as server:
        assert known(server, "session-one", 5)
        forget(place)
        event = {"hook_event_name": "Stop", "session_id": "session-one", "cwd": "/home/dev/kettle"}
        headers = {"authorization": f"Bearer {server.token}"}
        sent = httpx.post(f"{server.url}/api/events", json=event, headers=headers, timeout=60)

        assert sent.status_code < 300
    spool = home / "unspool" / "spool"
    files = list(spool.iterdir()) if spool.is_dir() else []
    assert not any(b"session-one" in path.read_bytes() for path in files)
