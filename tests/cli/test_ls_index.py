import json
import os
from pathlib import Path

import pytest

from tests.cli.made import root, sweep, talk
from tests.cli.runs import here
from unspool.demo import Transcript
from unspool.engine import freshness
from unspool.engine.sessions.root_sessions import RootSessions

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    agent = (
        Transcript(session="session-one", agent="a1b2c3d4e5f6a7b8c", cwd="/home/dev/kettle")
        .user("look")
        .says("seen", id="agent-1")
    )
    unpriced = Transcript(session="unpriced", start="2026-01-03T10:00:00.000Z", cwd="/home/dev/web")
    unpriced.user("What?").says("That.", id="unpriced-1", model="made-up-1")
    root(tmp_path, talk(), talk("session-two", 2).compacts(), unpriced, agent)
    for day, name in enumerate(("session-one", "session-two", "unpriced")):
        for path in tmp_path.glob(f"projects/**/{name}*.jsonl"):
            os.utime(path, (1_767_261_610 + day * 86_400,) * 2)
    return tmp_path


@pytest.fixture
def indexed(place: Path, capsys: Capsys) -> Path:
    here(capsys, "index", "build", "--root", place)
    return place


@pytest.mark.parametrize(
    "options",
    [
        (), ("--limit", "2"), ("--project", "WEB"), ("--since", "2026-01-02"), ("--status", "idle"),
        ("--status", "working"), ("--all",),
    ],
)  # fmt: skip
def test_the_index_lists_what_the_files_would(
    place: Path, capsys: Capsys, options: tuple[str, ...]
) -> None:
    files = here(capsys, "ls", "--root", place, *options).out.replace("≤", "")
    here(capsys, "index", "build", "--root", place)

    assert here(capsys, "ls", "--root", place, *options).out.split() == files.split()


def test_files_of_old_sessions_are_not_read_again(
    indexed: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(RootSessions, "open")

    assert "session-two" in here(capsys, "ls", "--root", indexed).out


def test_a_swept_session_is_listed_with_a_mark(indexed: Path, capsys: Capsys) -> None:
    sweep(indexed, "session-one")
    said = here(capsys, "ls", "--root", indexed)
    (row,) = (line for line in said.out.splitlines() if line.startswith("session-one"))

    assert row.endswith("⌫gone")


def test_json_names_swept_sessions_too(indexed: Path, capsys: Capsys) -> None:
    sweep(indexed, "session-one")
    told = json.loads(here(capsys, "ls", "--json", "--root", indexed).out)

    assert {item["session"]["id"]: item["sourceGone"] for item in told["items"]} == {
        "session-one": True,
        "session-two": False,
        "unpriced": False,
    }


def test_a_session_written_since_is_listed(indexed: Path, capsys: Capsys) -> None:
    root(indexed, talk("session-three", 4))

    assert "session-three" in here(capsys, "ls", "--root", indexed).out


def test_an_index_far_behind_is_not_used(
    indexed: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "QUICK", 10)
    root(indexed, talk("session-three", 4))

    assert "session-three" in here(capsys, "ls", "--root", indexed).out


def test_a_damaged_index_is_not_used_and_not_mentioned(
    indexed: Path, home: Path, capsys: Capsys
) -> None:
    (home / "unspool" / "index.db").write_bytes(b"no database at all" * 1_000)
    said = here(capsys, "ls", "--root", indexed)

    assert (said.code, said.err, "session-one" in said.out) == (0, "", True)


def test_another_root_in_the_same_index_is_not_listed(
    indexed: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Capsys
) -> None:
    other = root(tmp_path_factory.mktemp("other"), talk("elsewhere"))
    here(capsys, "index", "build", "--root", other)
    said = here(capsys, "ls", "--root", other)

    assert ("elsewhere" in said.out, "session-one" in said.out) == (True, False)
