import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.made import hook_log, root, sweep, talk
from tests.cli.runs import here, process, terminal
from unspool.cli.config import open_stores
from unspool.demo import generate
from unspool.source.prices import bundled

Capsys = pytest.CaptureFixture[str]


def status(capsys: Capsys, place: Path) -> dict[str, object]:
    found = here(capsys, "index", "status", "--json", "--root", place)
    told: dict[str, object] = json.loads(found.out)
    return told


def test_a_build_says_what_it_took_in(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "index", "build", "--root", root(tmp_path))

    assert said.code == 0
    assert said.out.startswith("Indexed 5 lines, ")
    assert " from 1 of 1 file in " in said.out


def test_a_second_build_does_nothing(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))

    assert here(capsys, "index", "build", "--root", tmp_path).out == "Nothing new in 1 file.\n"


def test_a_build_goes_on_where_the_last_one_ended(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    root(tmp_path, talk("session-two"))
    said = here(capsys, "index", "build", "--root", tmp_path, "--json")
    made = json.loads(said.out)

    assert (made["files"], made["changed"], made["lines"]) == (2, 1, 5)


def test_paths_that_are_left_alone_are_counted_and_named(tmp_path: Path, capsys: Capsys) -> None:
    (root(tmp_path) / "projects" / "-home-dev-kettle" / "x.jsonl").symlink_to("/etc/passwd")
    said = here(capsys, "index", "build", "--root", tmp_path)
    told = json.loads(here(capsys, "index", "build", "--root", tmp_path, "--json").out)

    assert "1 path skipped" in said.out
    assert told["skipped"][0]["reason"] == "a symbolic link"


def test_the_status_counts_lines_sessions_and_events(tmp_path: Path, capsys: Capsys) -> None:
    hook_log(root(tmp_path), '{"sessionId":"session-one","eventType":"Stop"}')
    here(capsys, "index", "build", "--root", tmp_path)
    said = here(capsys, "index", "status", "--root", tmp_path)

    assert "transcripts  5 lines, 1 session, 1 file\n" in said.out
    assert "hook events  1 event, 1 file\n" in said.out
    assert "lag          none" in said.out


def test_the_status_says_how_far_the_index_is_behind(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    (path,) = root(tmp_path, talk("session-two")).glob("projects/*/session-two.jsonl")

    assert status(capsys, tmp_path)["lag"] == {"files": 1, "bytes": path.stat().st_size}


def test_files_that_are_gone_are_counted(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    sweep(tmp_path, "session-one")
    said = here(capsys, "index", "build", "--root", tmp_path)

    assert "1 file no longer on disk, kept in the archive." in said.out
    assert status(capsys, tmp_path)["gone"] == 1


def test_without_an_index_the_status_says_how_to_make_one(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "index", "--root", root(tmp_path))

    assert said.code == 0
    assert said.out.startswith("There is no index yet. `unspool index build` makes one.")


def test_whoever_else_writes_is_named(tmp_path: Path, capsys: Capsys) -> None:
    root(tmp_path)
    with closing(open_stores().writing()):
        told = status(capsys, tmp_path)
        said = here(capsys, "index", "build", "--root", tmp_path)

    assert told["writer"]
    assert (said.code, said.out) == (1, "")
    assert "is writing" in said.err


@pytest.mark.parametrize("args", [["nonsense"], ["build", "start"], ["daemon", "restart"]])
def test_an_action_nobody_knows_is_wrong_usage(args: list[str], capsys: Capsys) -> None:
    assert here(capsys, "index", *args).code == 2


def test_a_root_that_is_not_there_is_not_found(tmp_path: Path, capsys: Capsys) -> None:
    assert here(capsys, "index", "build", "--root", tmp_path / "none").code == 3


def test_on_a_terminal_a_bar_is_drawn_and_gone_at_the_end(tmp_path: Path) -> None:
    generate(tmp_path, mb=1.5, seed=3, prices=json.loads(bundled()))
    shown = terminal("index", "build", "--root", tmp_path, NO_COLOR="1")

    assert shown.splitlines()[-1].rpartition("\x1b[K")[2].startswith("Indexed ")


def test_it_runs_as_a_process(tmp_path: Path) -> None:
    said = process("index", "build", CLAUDE_CONFIG_DIR=str(root(tmp_path)))

    assert (said.code, said.err) == (0, "")
