import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.runs import here, process, terminal
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]


def save(root: Path, session: str, day: str = "2026-01-01", cwd: str = "/repo") -> Path:
    talk = Transcript(session=session, cwd=cwd, start=f"{day}T10:00:00.000Z")
    path = talk.user(f"Prompt of {session}").says("Done").save(root)
    written = datetime.fromisoformat(f"{day}T10:00:01+00:00").timestamp()
    os.utime(path, (written, written))
    return path


def ids(out: str) -> list[str]:
    return [item["session"]["id"] for item in json.loads(out)["items"]]


def test_sessions_are_listed_newest_first(tmp_path: Path, capsys: Capsys) -> None:
    save(tmp_path, "older", "2026-01-01")
    save(tmp_path, "newer", "2026-01-05")
    said = here(capsys, "ls", "--root", tmp_path)

    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()] == ["SESSION", "newer", "older"]
    assert "Prompt of newer" in said.out


def test_without_an_index_a_cost_is_at_most_that(tmp_path: Path, capsys: Capsys) -> None:
    used = {"input_tokens": 1_000_000, "output_tokens": 0}
    Transcript(session="one").user("go").says("Done", usage=used).save(tmp_path)
    read = here(capsys, "ls", "--root", tmp_path)
    here(capsys, "index", "build", "--root", tmp_path)
    indexed = here(capsys, "ls", "--root", tmp_path)

    assert "≤ $" in read.out
    assert "≤" not in indexed.out
    assert "$" in indexed.out


def test_json_has_items_and_a_cursor(tmp_path: Path, capsys: Capsys) -> None:
    save(tmp_path, "one")
    said = here(capsys, "ls", "--root", tmp_path, "--json")

    assert json.loads(said.out)["nextCursor"] is None
    assert json.loads(said.out)["items"][0]["session"]["projectName"] == "repo"


def test_a_limit_is_kept(tmp_path: Path, capsys: Capsys) -> None:
    for day in "123":
        save(tmp_path, f"day-{day}", f"2026-01-0{day}")

    assert ids(here(capsys, "ls", "--root", tmp_path, "--json", "--limit", "2").out) == [
        "day-3",
        "day-2",
    ]


def test_since_leaves_older_sessions_out(tmp_path: Path, capsys: Capsys) -> None:
    save(tmp_path, "older", "2026-01-01")
    save(tmp_path, "newer", "2026-01-05")
    said = here(capsys, "ls", "--root", tmp_path, "--json", "--since", "2026-01-03")

    assert ids(said.out) == ["newer"]


def test_since_goes_by_what_was_said_and_not_by_when_the_file_was_copied(
    tmp_path: Path, capsys: Capsys
) -> None:
    os.utime(save(tmp_path, "older", "2026-01-01"))

    assert ids(here(capsys, "ls", "--root", tmp_path, "--json", "--since", "7d").out) == []


def test_a_project_is_found_by_part_of_its_name(tmp_path: Path, capsys: Capsys) -> None:
    save(tmp_path, "one", cwd="/home/dev/api-server")
    save(tmp_path, "two", cwd="/home/dev/web")

    assert ids(here(capsys, "ls", "--root", tmp_path, "--json", "--project", "API").out) == ["one"]


@pytest.mark.parametrize(("status", "found"), [("idle", ["one"]), ("working", [])])
def test_a_status_goes_by_its_short_name(
    tmp_path: Path, capsys: Capsys, status: str, found: list[str]
) -> None:
    save(tmp_path, "one")

    assert ids(here(capsys, "ls", "--root", tmp_path, "--json", "--status", status).out) == found


@pytest.mark.parametrize("status", ["approval", "waiting-for-approval", "waiting_for_approval"])
def test_a_status_goes_by_its_long_name_too(tmp_path: Path, capsys: Capsys, status: str) -> None:
    now = datetime.now(UTC) - timedelta(seconds=5)  # noqa: TID251
    talk = Transcript(session="asks", start=now.isoformat()).user("go").calls("Bash", command="x")
    talk.save(tmp_path)
    options = ("--json", "--status", status)

    assert ids(here(capsys, "ls", "--root", tmp_path, *options).out) == ["asks"]


@pytest.mark.parametrize("option", ["--status=odd", "--since=soon", "--limit=-1"])
def test_an_option_nobody_understands_is_wrong_usage(capsys: Capsys, option: str) -> None:
    said = here(capsys, "ls", option)

    assert said.code == 2
    assert option.partition("=")[0] in said.err


def test_sessions_with_nothing_to_read_are_hidden_unless_asked_for(
    tmp_path: Path, capsys: Capsys
) -> None:
    Transcript(session="stub").entry("summary", summary="Old", leafUuid="x").save(tmp_path)

    assert ids(here(capsys, "ls", "--root", tmp_path, "--json").out) == []
    assert ids(here(capsys, "ls", "--root", tmp_path, "--json", "--all").out) == ["stub"]


def test_no_sessions_that_fit_are_told_apart(tmp_path: Path, capsys: Capsys) -> None:
    save(tmp_path, "one")
    said = here(capsys, "ls", "--root", tmp_path, "--project", "other")

    assert said.out.startswith("No matching sessions in ")


def test_a_root_that_is_not_there_is_not_found(tmp_path: Path, capsys: Capsys) -> None:
    assert here(capsys, "ls", "--root", tmp_path / "none").code == 3


def test_two_roots_are_read_as_one_list(tmp_path: Path, capsys: Capsys) -> None:
    save(tmp_path / "a", "one")
    save(tmp_path / "b", "two")
    said = here(capsys, "ls", "--json", "--root", tmp_path / "a", "--root", tmp_path / "b")

    assert sorted(ids(said.out)) == ["one", "two"]


def test_on_a_terminal_it_fits_and_shows_the_newest(tmp_path: Path) -> None:
    for number in range(42):
        save(tmp_path, f"session-{number}", f"2026-01-{number % 28 + 1:02}")
    lines = terminal("ls", "--root", tmp_path, NO_COLOR="1").splitlines()

    assert all(len(line) <= 80 for line in lines)
    assert len(lines) == 43
    assert lines[-1] == "Showing the newest 40. Use --limit for more."


def test_it_runs_as_a_process(tmp_path: Path) -> None:
    save(tmp_path, "one")

    assert ids(process("ls", "--json", CLAUDE_CONFIG_DIR=str(tmp_path)).out) == ["one"]
