import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.runs import here, process
from unspool.demo import Transcript
from unspool.show import session_json

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root of two sessions, one of them with an agent."""
    talk = Transcript(session="3f2a1b9c", start="2026-01-01T10:00:00.000Z").user("Count the lines")
    talk.calls("Bash", command="wc -l a.py").returns("Exit code 1\nno such file", failed=True)
    talk.calls("Agent", description="Look around", prompt="Look", subagent_type="Explore")
    talk.returns("All quiet", result={"agentId": "a1b2", "status": "completed"})
    talk.says("There are none.").compacts(pre=168_000, post=31_000).user("Again").save(tmp_path)
    agent = Transcript(session="3f2a1b9c", agent="a1b2").user("Look").says("All quiet here")
    agent.meta(agentType="Explore", toolUseId="toolu_2", description="Look around").save(tmp_path)
    older = Transcript(session="3f99", start="2025-01-01T10:00:00.000Z", uuid_prefix="o")
    older.user("Older").save(tmp_path)
    return tmp_path


def test_a_failed_stop_hook_shows_its_error(tmp_path: Path, capsys: Capsys) -> None:
    made = Transcript(session="3f2a1b9c").user("Go").says("Done")
    blocked = {"blockingError": "Run the linter", "command": "lint.sh"}
    made.attachment("hook_blocking_error", hookEvent="Stop", blockingError=blocked)
    infos = [{"command": "check.sh", "durationMs": 9}]
    made.system("stop_hook_summary", hookErrors=["Tests fail"], hookInfos=infos).save(tmp_path)
    said = here(capsys, "show", "3f2a", "--root", tmp_path).out

    assert "✗ Hook       Stop\n      Tests fail\n      (check.sh)\n" in said
    assert "      Run the linter\n" in said


def test_a_session_reads_like_a_story(root: Path, capsys: Capsys) -> None:
    said = here(capsys, "show", "3f2a", "--root", root)
    words = [line.split()[0] for line in said.out.splitlines() if line[:1] not in ("", " ")]

    assert said.code == 0
    assert said.out.startswith("Count the lines\n")
    assert [word for word in words if word in ("You", "Claude", "‖")] == [
        "You",
        "Claude",
        "‖",
        "You",
    ]


@pytest.mark.parametrize(
    "told",
    [
        "  ✗ Bash       wc -l a.py  exit 1  1.0 s\n      no such file\n",
        "  ↳ Agent      Look around  Explore · 1 step · ",
        "      All quiet here\n",
        "  There are none.\n",
        "‖ Compacted  10:00  auto  168k → 31.0k tokens\n",
    ],
)
def test_every_part_of_the_story_is_told(root: Path, capsys: Capsys, told: str) -> None:
    assert told in here(capsys, "show", "3f2a", "--root", root).out


def test_json_is_the_document_and_fits_its_schema(root: Path, capsys: Capsys) -> None:
    document = json.loads(here(capsys, "show", "3f2a", "--root", root, "--json").out)

    assert document["session"]["id"] == "3f2a1b9c"
    assert list(Draft202012Validator(session_json.schema()).iter_errors(document)) == []


def test_a_window_has_so_many_chunks(root: Path, capsys: Capsys) -> None:
    options = ("--json", "--first", "1", "--limit", "2")
    document = json.loads(here(capsys, "show", "3f2a", "--root", root, *options).out)

    assert [chunk["type"] for chunk in document["chunks"]] == ["ai", "compact"]


def test_a_window_in_text_has_them_too(root: Path, capsys: Capsys) -> None:
    out = here(capsys, "show", "3f2a", "--root", root, "--first", "1", "--limit", "1").out

    assert "\nClaude " in out
    assert "\nYou " not in out


def test_a_session_longer_than_a_window_is_told_whole(tmp_path: Path, capsys: Capsys) -> None:
    talk = Transcript(session="long")
    for number in range(1_100):
        talk.user(f"prompt {number}")
    talk.save(tmp_path)
    out = here(capsys, "show", "long", "--root", tmp_path).out

    assert [line for line in out.splitlines() if line.startswith("  prompt")] == [
        f"  prompt {number}" for number in range(1_100)
    ]


def test_an_agent_can_be_read_by_itself(root: Path, capsys: Capsys) -> None:
    out = here(capsys, "show", "3f2a", "--root", root, "--agent", "a1").out

    assert "agent a1b2" in out
    assert "  All quiet here\n" in out


def test_an_agent_that_is_not_there_is_not_found(root: Path, capsys: Capsys) -> None:
    assert here(capsys, "show", "3f2a", "--root", root, "--agent", "zz").code == 3


def test_turns_are_one_line_each(root: Path, capsys: Capsys) -> None:
    lines = here(capsys, "show", "3f2a", "--root", root, "--turns").out.splitlines()

    assert len(lines) == 3
    assert "Count the lines" in lines[1]
    assert json.loads(here(capsys, "show", "3f2a", "--root", root, "--turns", "--json").out)[
        "items"
    ]


def test_lines_are_as_they_lie_in_the_file(root: Path, capsys: Capsys) -> None:
    lines = here(capsys, "show", "3f99", "--root", root, "--lines").out.splitlines()
    items = json.loads(here(capsys, "show", "3f99", "--root", root, "--lines", "--json").out)[
        "items"
    ]

    assert lines[1].split()[:2] == ["1", "0"]
    assert items[0]["type"] == "user"


def test_the_newest_session_is_latest(root: Path, capsys: Capsys) -> None:
    assert here(capsys, "show", "latest", "--root", root).code == 0


def test_the_schema_needs_no_session(capsys: Capsys) -> None:
    assert here(capsys, "show", "--schema").out.encode() == session_json.schema_file()


def test_without_a_session_it_asks_for_one(capsys: Capsys) -> None:
    said = here(capsys, "show")

    assert said.code == 2
    assert "Name a session" in said.err


def test_a_beginning_that_fits_two_lists_both(root: Path, capsys: Capsys) -> None:
    Transcript(session="3f2a9999").user("Other").save(root)
    said = here(capsys, "show", "3f2a", "--root", root)

    assert said.code == 2
    assert [line.split()[0] for line in said.err.splitlines()[1:]] == ["3f2a9999", "3f2a1b9c"]


def test_it_runs_as_a_process(root: Path) -> None:
    said = process("show", "3f2a", "--root", root)

    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Count the lines\n")


def test_no_escape_in_a_transcript_reaches_the_output(tmp_path: Path, capsys: Capsys) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\u202e\x9b31m"
    talk = Transcript(session="evil", cwd=f"/r{evil}", branch=evil).user(f"a{evil}").thinks(evil)
    talk.calls(f"Bash{evil}", {evil: evil, "command": evil}).returns(evil, failed=True)
    talk.calls("Edit", file_path=evil, old_string=evil, new_string=f"b{evil}").returns(evil)
    path = talk.says(evil).system("api_error", content=evil).write(tmp_path / "evil.jsonl")
    views: tuple[list[str], ...] = ([], ["--turns"], ["--lines"])
    out = "".join(here(capsys, "show", path, *view).out for view in views)

    assert not set("\x1b\x07\x9b\u202e") & set(out)
