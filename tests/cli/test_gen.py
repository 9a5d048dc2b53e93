import json
from pathlib import Path

import pytest

from tests.cli.runs import here, process
from unspool.demo.stories import PAST
from unspool.demo.stories.running_sessions import RUNNING

Capsys = pytest.CaptureFixture[str]
SMALL = ("--mb", "0.1", "--seed", "3")


def test_a_root_is_made_and_told_about(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "gen", tmp_path / "made", *SMALL)
    truth = json.loads((tmp_path / "made" / "truth.json").read_bytes())

    assert said.code == 0
    assert f"{truth['counts']['sessions']} sessions" in said.out
    assert f"unspool ls --root {tmp_path / 'made'}" in said.out


def test_json_gives_the_true_totals(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "gen", tmp_path / "made", *SMALL, "--json")
    truth = json.loads((tmp_path / "made" / "truth.json").read_bytes())

    assert json.loads(said.out)["totals"] == truth["totals"]


def test_a_root_of_ours_is_made_again(tmp_path: Path, capsys: Capsys) -> None:
    first = here(capsys, "gen", tmp_path / "made", *SMALL)
    (tmp_path / "made" / "mine.txt").touch()

    assert here(capsys, "gen", tmp_path / "made", *SMALL) == first
    assert (tmp_path / "made" / "mine.txt").exists()


def test_a_directory_of_somebody_elses_is_refused(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "projects").mkdir()
    said = here(capsys, "gen", tmp_path, *SMALL)

    assert said.code == 1
    assert "unspool gen did not make" in said.err
    assert list(tmp_path.iterdir()) == [tmp_path / "projects"]


def test_a_truth_file_of_another_kind_makes_no_root_of_ours(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "truth.json").write_text('{"sessions":{}}')

    assert here(capsys, "gen", tmp_path, *SMALL).code == 1


def test_a_file_is_no_directory(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "file").touch()

    assert here(capsys, "gen", tmp_path / "file").code == 1


@pytest.mark.parametrize("size", ["0", "-1", "nan", "much"])
def test_a_size_is_a_number_above_nothing(tmp_path: Path, capsys: Capsys, size: str) -> None:
    assert here(capsys, "gen", tmp_path / "made", f"--mb={size}").code == 2


def test_running_sessions_are_added_to_a_root(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "gen", tmp_path / "made", *SMALL)
    before = (tmp_path / "made" / "truth.json").stat().st_mtime_ns
    said = here(capsys, "gen", tmp_path / "made", "--live", "--seconds", "0.01")

    again = here(capsys, "gen", tmp_path / "made", "--live", "--seconds", "0.01", "--json")

    assert said.out.startswith("  played ")
    assert json.loads(again.out)["session"] not in said.out
    assert (tmp_path / "made" / "truth.json").stat().st_mtime_ns == before


def test_it_runs_as_a_process(tmp_path: Path) -> None:
    assert process("gen", tmp_path / "made", *SMALL).code == 0


def test_several_sessions_run_in_processes_of_their_own(tmp_path: Path, capsys: Capsys) -> None:
    args = ("--live", "--seconds", "0.01", "--sessions", "3", "--json")
    here(capsys, "gen", tmp_path / "made", *SMALL)
    said = here(capsys, "gen", tmp_path / "made", *args)
    paths = [json.loads(line)["path"] for line in said.out.splitlines()]

    assert len({Path(path).parent for path in paths}) == 3
    assert not list((tmp_path / "made" / "sessions").glob("*.json"))


@pytest.mark.parametrize("count", ["0", "201", "many"])
def test_not_any_number_of_sessions_runs(tmp_path: Path, capsys: Capsys, count: str) -> None:
    assert here(capsys, "gen", tmp_path / "made", f"--sessions={count}").code == 2


def test_the_sessions_of_the_demo_are_written(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "gen", tmp_path / "made", "--demo")
    listed = here(capsys, "ls", "--root", tmp_path / "made", "--json")

    assert said.code == 0
    assert f"  {len(PAST)} sessions of the demo" in said.out
    assert len(json.loads(listed.out)["items"]) == len(PAST)


def test_running_sessions_of_the_demo_are_added_to_it(tmp_path: Path, capsys: Capsys) -> None:
    made = json.loads(here(capsys, "gen", tmp_path / "made", "--demo", "--json").out)
    again = here(capsys, "gen", tmp_path / "made", "--demo", "--live", "--seconds", "0.01")
    listed = json.loads(here(capsys, "ls", "--root", tmp_path / "made", "--json").out)

    assert again.code == 0
    assert len(listed["items"]) == made["sessions"] + len(RUNNING)


def test_the_demo_is_not_written_where_something_else_is(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "mine.txt").touch()

    assert here(capsys, "gen", tmp_path, "--demo").code == 1
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]
