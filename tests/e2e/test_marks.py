"""What the user decides about a session holds wherever it is shown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import here
from tests.serve.served import Served, served
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso

Capsys = pytest.CaptureFixture[str]
ONE = "/api/sessions/session-one"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    place = root(tmp_path, talk(), talk("session-two", 2))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place))
    with served(place) as made:
        yield made


def lively(session: str) -> Transcript:
    """A session that is going on now."""
    start = iso(config.now() - 60_000) or ""
    made = Transcript(session=session, cwd="/home/dev/kettle", start=start)
    return made.user("do it").says("done")


def asked(capsys: Capsys, *args: str) -> Any:
    said = here(capsys, *args, "--json")
    assert said.code == 0
    return json.loads(said.out)


def test_a_title_is_the_same_everywhere(site: Served, tmp_path: Path, capsys: Capsys) -> None:
    site.ask(ONE, "PATCH", json={"title": "MINE"})
    listed = {row["session"]["id"]: row["session"]["title"] for row in asked(capsys, "ls")["items"]}
    query = "SELECT title FROM sessions WHERE session_id = 'session-one'"
    here(capsys, "export", "session-one", "-o", str(tmp_path / "one.json"))

    assert listed["session-one"] == "MINE"
    assert "MINE" in here(capsys, "ls").out
    assert asked(capsys, "sql", query)["items"] == [{"title": "MINE"}]
    assert asked(capsys, "show", "session-one")["session"]["title"] == "MINE"
    assert {hit["title"] for hit in asked(capsys, "search", "session-one")["items"]} == {"MINE"}
    assert json.loads((tmp_path / "one.json").read_text())["session"]["title"] == "MINE"
    document = site.ask("/api/sessions/-home-dev-kettle/session-one").json()
    assert document["session"]["title"] == "MINE"
    assert "MINE" in site.ask("/s/-home-dev-kettle/session-one").text
    export = site.ask("/api/export/-home-dev-kettle/session-one?format=json").json()
    assert export["session"]["title"] == "MINE"


def test_a_hidden_session_is_in_no_list_until_it_is_asked_for(site: Served, capsys: Capsys) -> None:
    site.ask(ONE, "PATCH", json={"hidden": True})

    assert [row["session"]["id"] for row in asked(capsys, "ls")["items"]] == ["session-two"]
    assert [row["session"]["id"] for row in asked(capsys, "ls", "--limit", "1")["items"]]
    assert "session-one" not in here(capsys, "ls").out
    assert len(asked(capsys, "ls", "--all")["items"]) == 2
    query = "SELECT session_id, hidden FROM sessions ORDER BY 1"
    assert [row["hidden"] for row in asked(capsys, "sql", query)["items"]] == [1, 0]


def test_sql_lists_the_marks(site: Served, capsys: Capsys) -> None:
    site.ask(ONE, "PATCH", json={"pinned": True, "title": "MINE"})

    assert asked(capsys, "sql", "SELECT * FROM marks")["items"] == [
        {
            "project_id": "-home-dev-kettle",
            "session_id": "session-one",
            "pinned": 1,
            "hidden": 0,
            "title": "MINE",
        }
    ]
    assert {row["pinned"] for row in asked(capsys, "ls")["items"]} == {True, False}


def test_marks_outlast_a_rebuild(site: Served, capsys: Capsys) -> None:
    site.ask(ONE, "PATCH", json={"title": "MINE"})
    site.context.close()

    assert here(capsys, "index", "rebuild").code == 0
    assert "MINE" in here(capsys, "ls").out


def test_the_boards_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    place = root(tmp_path, lively("session-one"), lively("session-two"))
    with served(place) as site:
        site.ask(ONE, "PATCH", json={"hidden": True})
        site.ask("/api/sessions/session-two", "PATCH", json={"title": "MINE"})
        status = [row["session"]["title"] for row in site.ask("/api/status").json()["rows"]]
        top = [row["session"]["title"] for row in asked(capsys, "top", "--once")["rows"]]

    assert status == top == ["MINE"]
