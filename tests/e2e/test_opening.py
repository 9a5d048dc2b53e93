"""Whatever is counted, listed or found opens: by every address, command and call."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

import unspool
from tests.e2e.cases import MINUTE, PROJECT, Files, at, stamp
from tests.e2e.surface_fields import Key
from tests.e2e.workspaces import Workspace
from tests.serve.served import Served
from unspool.demo import Transcript
from unspool.show.html.links import LiveLinks

USAGE: Final = {"input_tokens": 10, "output_tokens": 5}
ODD: Final = "a b+c'ö%#\n\\-?"
FORMATS: Final = ("html", "md", "json", "jsonl")
KEYS: Final = {
    (PROJECT, name)
    for name in (ODD, "spooled", "logged", "homeless", "legacy", "orphan", "archived", "alive")
} - {(PROJECT, "homeless")} | {("-", "homeless"), (f"{PROJECT} +%", "plain")}


def agent(session: str, id: str) -> Transcript:
    made = Transcript(session, agent=id, uuid_prefix=id, start=stamp(5)).user("Look for needles")
    return made.says("Seen", usage=USAGE, id=id)


def talk(session: str) -> Transcript:
    made = Transcript(session, uuid_prefix=session).user("Look for needles")
    return (
        made.calls("Bash", {"command": "ls"}, id=f"{session}-t")
        .returns("a")
        .says("Found needles", usage=USAGE, id=session)
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A session of every kind that has no transcript where it should be, and odd names."""
    made = Workspace(tmp_path / "claude", tmp_path / "unspool", at(MINUTE))
    files = Files(made)
    files.write(f"{PROJECT}/{ODD}.jsonl", talk(ODD).bytes(), 3)
    files.write(f"{PROJECT} +%/plain.jsonl", talk("plain").bytes(), 3)
    files.hook("UserPromptSubmit", 2, "spooled", prompt="Look for needles")
    files.hook("PreToolUse", 3, "spooled", tool_name="Bash", tool_input={"command": "ls"})
    files.hook("Stop", 4, "spooled", last_assistant_message="Found *needles*")
    files.log("UserPromptSubmit", 2, "logged", prompt="Look for needles")
    files.hook("Stop", 2, "homeless", transcript_path=None, cwd=None)
    files.write(f"{PROJECT}/agent-q1.jsonl", agent("legacy", "q1").bytes(), 5)
    archived = files.save(agent("orphan", "a1"), talk("archived"))
    files.register("alive", "busy", 50)
    files.index()
    archived.unlink()
    files.index()
    return made


@pytest.fixture
def site(workspace: Workspace) -> Iterator[Served]:
    with workspace.served(Served) as made:
        yield made


def key(row: dict[str, Any]) -> Key:
    return row["projectId"], row["sessionId"] if "sessionId" in row else row["id"]


def test_every_list_has_every_session(workspace: Workspace, site: Served) -> None:
    rows = {
        "REST": [row["session"] for row in site.ask("/api/sessions?limit=200").json()["items"]],
        "ls": [row["session"] for row in workspace.json("ls", "--json")["items"]],
    }
    with workspace.here():
        library = {(row.session.project_id, row.session.id) for row in unspool.open().sessions()}
    page = site.ask("/sessions").text

    assert {name: set(map(key, found)) for name, found in rows.items()} == {
        "REST": KEYS, "ls": KEYS,
    }  # fmt: skip
    assert library == KEYS
    assert {one for one in KEYS if f'href="{LiveLinks().session(*one)}"' not in page} == set()


def test_what_is_counted_is_listed(workspace: Workspace, site: Served) -> None:
    counted = set(map(key, site.ask("/api/cost?by=session").json()["sessions"]))
    counted |= set(map(key, workspace.json("cost", "session", "--json")["sessions"]))

    assert counted
    assert counted <= KEYS


@pytest.mark.parametrize("one", sorted(KEYS))
def test_every_address_of_a_session_opens(site: Served, one: Key) -> None:
    project, session = (quote(part, safe="") for part in one)
    place, api = f"{project}/{session}", f"/api/sessions/{project}/{session}"
    views = ("", "/metrics", "/turns", "/tools", "/context", "/waterfall")
    paths = [api + view for view in views]
    paths += [f"/s/{place}?view={name}" for name in ("turns", "context", "waterfall", "tools")]
    paths += [f"/s/{place}?view=raw", f"/part/tail/{place}", f"/part/window/{place}"]
    paths += [f"/api/export/{place}?format={kind}" for kind in FORMATS]
    paths += [f"/api/sessions/{session}/events?project={project}"]

    assert {path: code for path in paths if (code := site.ask(path).status_code) != 200} == {}


@pytest.mark.parametrize("one", sorted(KEYS))
def test_every_command_and_call_opens_a_session(workspace: Workspace, one: Key) -> None:
    project, session = one
    named = f"--project={project}", "--", session
    done = {"show": workspace.run("show", *named)}
    done |= {"explain": workspace.run("cost", "explain", *named)}
    done |= {f"show {flag}": workspace.run("show", flag, *named) for flag in ("--json", "--turns")}
    done |= {kind: workspace.run("export", f"--format={kind}", *named) for kind in FORMATS}
    with workspace.here():
        document = unspool.open().session(session, project=project).document()

    assert [name for name, text in done.items() if text is None] == []
    assert (document.session.project_id, document.session.id) == one


def test_what_hooks_told_is_read_as_a_talk(workspace: Workspace, site: Served) -> None:
    document = site.ask(f"/api/sessions/{PROJECT}/spooled").json()
    page, shown = site.ask(f"/s/{PROJECT}/spooled").text, workspace.run("show", "spooled") or ""
    missing = "Known from hook events only: its transcript is not on this machine."

    assert [chunk["type"] for chunk in document["chunks"]] == ["user", "ai"]
    assert document["chunks"][0]["text"] == "Look for needles"
    assert [step["text"] for step in document["chunks"][1]["steps"]] == [
        "Bash ls",
        "Found *needles*",
    ]
    assert document["diagnostics"]["missing"] == missing
    assert "Found <em>needles</em>" in page
    assert all(text in page and text in shown for text in ("Look for needles", missing))
    assert missing in (workspace.run("export", "--format=md", "spooled") or "")


def test_what_agents_are_left_is_on_the_page_of_their_session(
    workspace: Workspace, site: Served
) -> None:
    page, shown = site.ask(f"/s/{PROJECT}/orphan").text, workspace.run("show", "orphan") or ""
    address = LiveLinks().agent(PROJECT, "orphan", "a1")
    missing = "The session's own transcript is gone; 1 agent transcript remains."

    assert f'href="{address}"' in page
    assert "Seen" in site.ask(address).text
    assert missing.replace("'", "&#39;") in page
    assert missing in shown


def test_every_hit_of_a_search_opens(site: Served) -> None:
    hits = site.ask("/api/search?q=needles&limit=100").json()["items"]
    links = {key(hit): LiveLinks().found(*key(hit), hit["eventId"], hit["agentId"]) for hit in hits}
    answers = {one: site.ask(link, follow_redirects=True) for one, link in links.items()}

    named = {(PROJECT, name) for name in (ODD, "legacy", "orphan", "archived")}
    assert links.keys() == named | {(f"{PROJECT} +%", "plain")}
    assert {one: answer.status_code for one, answer in answers.items()} == dict.fromkeys(links, 200)
    assert all("needles" in answer.text for answer in answers.values())
