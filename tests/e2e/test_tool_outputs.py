"""A tool's output that was too long for its line is still read when Claude Code has deleted it."""

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.cases import PROJECT, at
from tests.e2e.workspaces import Workspace
from tests.engine.roots import dated
from tests.serve.served import Served
from unspool.demo import Transcript

WORDS = "the last words of a long output"
LONG = "a line of it\n" * 6_000 + WORDS + "\n"


def written(root: Path) -> Path:
    """A session one of whose calls put out more than a line holds; the session's directory."""
    directory = root / "projects" / PROJECT / "s1"
    output = directory / "tool-results" / "b1.txt"
    output.parent.mkdir(parents=True)
    output.write_text(LONG)
    said = f"<persisted-output>\nOutput too large. Full output saved to: {output}\n\nPreview:\na"
    made = Transcript("s1").user("go").calls("Bash", {"command": "make"}, id="t1")
    made.returns(f"{said}\n</persisted-output>", call="t1").says("done")
    dated(made.save(root), at(5))
    return directory


def _all_of_it(directory: Path) -> None:
    shutil.rmtree(directory)
    directory.with_suffix(".jsonl").unlink()


@pytest.fixture(params=[shutil.rmtree, _all_of_it], ids=["outputs deleted", "session deleted"])
def deleted(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """What was indexed once, and is gone from the disk now."""
    made = Workspace(tmp_path / "claude", tmp_path / "unspool", at(60))
    directory = written(made.root)
    made.index()
    request.param(directory)
    made.index()
    return made


def test_commands_read_it_from_the_archive(deleted: Workspace) -> None:
    document = deleted.json("show", "--json", "s1")
    exported = deleted.json("export", "--format", "json", "s1")

    assert document["toolExecutions"][0]["result"] == LONG
    assert exported["toolExecutions"][0]["result"] == LONG
    assert WORDS in (deleted.run("export", "--format", "html", "s1") or "")


def test_the_server_reads_it_from_the_archive(deleted: Workspace) -> None:
    with deleted.served() as site:
        place = f"{PROJECT}/s1"
        document = site.ask(f"/api/sessions/{place}").json()
        line = site.ask(f"/api/sessions/{place}/raw/3").json()
        blob = site.ask(f"/api/blob/{line['eventId']}/0")
        step = site.ask(f"/part/step/{place}/t1").text

    assert document["toolExecutions"][0]["result"] == LONG
    assert blob.text == LONG
    assert WORDS in step


def test_the_whole_event_has_it(deleted: Workspace) -> None:
    with deleted.served(Served) as site:
        events = site.ask("/api/sessions/s1/events").json()["items"]
        full = [site.ask(f"/api/sessions/s1/events/{one['eventId']}/full").json() for one in events]

    assert [one["output"] for one in full if one["output"] is not None] == [LONG]


def test_status_and_doctor_count_it(deleted: Workspace) -> None:
    status = deleted.json("index", "status", "--json")
    told = deleted.run("index", "status") or ""

    assert (status["outputs"], status["outputBytes"]) == (1, len(LONG))
    assert re.search(r"archive .* 1 tool output of 78\.0 KB", told)
    assert "1 tool output" in (deleted.run("doctor") or "")


def test_without_an_index_what_is_deleted_is_not_there(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "claude", tmp_path / "unspool", at(60))
    shutil.rmtree(written(made.root))

    assert WORDS not in (made.run("show", "--json", "s1") or "")
