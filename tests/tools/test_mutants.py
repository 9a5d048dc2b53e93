import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from coverage import CoverageData

from tools import mutants
from tools.coverage_map import CoverageMap, Note, read_notes
from tools.mutations import Mutant

CODE = """
def added(a: int, b: int) -> int:
    return a + b


def unseen(a: int, b: int) -> int:
    return a + b


def counted(a: int) -> None:
    while a:
        a -= 1


def never(a: int) -> int:
    return a
"""
TESTS = """
from unspool.small.sums import added, counted, unseen

def test_a_sum():
    assert added(2, 1) == 3

def test_an_end():
    counted(1)

def test_that_looks_at_nothing():
    unseen(2, 1)

def test_that_fails_anyway():
    assert unseen(2, 1) == 4
"""
SETTINGS = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\nmarkers = ["slow"]\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small tree with a package and its tests."""
    here = Path(mutants.__file__).parent
    files = {
        "src/unspool/__init__.py": "",
        "src/unspool/small/__init__.py": "",
        "src/unspool/small/sums.py": CODE,
        "tests/small/test_sums.py": TESTS,
        "pyproject.toml": SETTINGS,
        ".gitignore": "build/\n",
        **{
            f"tools/{name}": (here / name).read_text()
            for name in ("coverage_map.py", "mutations.py")
        },
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)  # noqa: S607
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    return tmp_path


def report(project: Path) -> str:
    (found,) = project.glob("build/mutants/*/report.md")
    return found.read_text()


@pytest.mark.slow
def test_faults_that_a_test_notices_are_told_from_those_that_none_does(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "_PATIENCE", 15)
    asked = mutants.options(["--count", "30", "--workers", "1"])
    mutants.main(asked)
    said, first = report(project), capsys.readouterr().out
    rows = re.findall(r"^- (\w+): src/unspool/small/sums.py:(\d+) ", said, re.MULTILINE)

    assert "test_that_fails_anyway fails or is skipped" in first
    assert set(rows) >= {("survived", "7"), ("timeout", "12"), ("untested", "16")}
    assert not {outcome for outcome, line in rows if line == "3"}
    assert (project / "src/unspool/small/sums.py").read_text() == CODE

    mutants.main(asked)
    second = capsys.readouterr().out
    assert report(project) == said
    assert ("killed    src" in first, "killed    src" in second) == (True, False)


def test_the_failed_test_is_named_whatever_it_logs() -> None:
    said = """
------------------------------ Captured log call -------------------------------
ERROR    unspool.serve:problems.py:82 GET /search: TypeError
=========================== short test summary info ============================
FAILED tests/small/test_sums.py::test_a_sum[a b] - TypeError: no - never
!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!
"""

    assert mutants.failed_test(said) == "tests/small/test_sums.py::test_a_sum[a b]"
    assert mutants.failed_test("1 passed in 0.1s") == ""


def test_another_tree_has_other_results(project: Path) -> None:
    before = mutants.digest(project, mutants.tracked(project), "")
    (project / "src/unspool/small/sums.py").write_text(CODE + "\n")

    assert mutants.digest(project, mutants.tracked(project), "") != before


def test_only_some_packages_can_be_asked_for(project: Path) -> None:
    assert mutants.every_mutant(["small"])
    assert mutants.every_mutant(["other"]) == []


def test_words_and_numbers_of_the_demo_are_no_code(project: Path) -> None:
    for name in ("stories", "script"):
        place = project / "src/unspool/demo" / name
        place.mkdir(parents=True)
        (place / "steps.py").write_text("AT = 9\n")

    paths = {one.path for one in mutants.every_mutant(["demo"])}
    assert paths == {"src/unspool/demo/script/steps.py"}


def test_a_fault_stays_for_a_block_and_is_compiled_anew(project: Path) -> None:
    path = project / "src/unspool/small/sums.py"
    one = mutants.every_mutant(None)[0]
    times = [path.stat().st_mtime_ns]
    with mutants.Fault(project, one):
        assert path.read_text() != CODE
        times.append(path.stat().st_mtime_ns)
    times.append(path.stat().st_mtime_ns)

    assert path.read_text() == CODE
    assert len({time // 10**9 for time in times}) == 3


def one(path: str, line: int) -> Mutant:
    return Mutant(path, line, "not", line, line + 1, "x", line, False)


def test_the_table_counts_by_package_and_what_no_test_runs_is_not_killed(project: Path) -> None:
    outcomes = ["killed", "killed", "survived", "untested", "timeout"]
    chosen = [one("src/unspool/small/sums.py", line) for line in range(len(outcomes))]
    results = {
        each.name: mutants.Result(outcome, 3, True, "", 1.0)
        for each, outcome in zip(chosen, outcomes, strict=True)
    }

    assert list(mutants.table(chosen, results))[2:] == [
        "| small | 2 | 1 | 1 | 1 | 0 | 0 | 50 |",
        "| all | 2 | 1 | 1 | 1 | 0 | 0 | 50 |",
    ]


def test_notes_add_up(tmp_path: Path) -> None:
    notes = [
        ["t.py::a", "setup", 1.0, True],
        ["t.py::a", "call", 2.0, True],
        ["t.py::a", "teardown", 3.0, False],
        ["t.py::b", "setup", 1.0, True],
    ]
    (tmp_path / "notes").write_text("\n".join(map(json.dumps, notes)))

    assert read_notes(tmp_path / "notes") == {
        "t.py::a": Note(1.0, 5.0, False),
        "t.py::b": Note(1.0, 0.0, True),
    }


SUMS = "src/unspool/small/sums.py"
NEAR, FAR, OTHER = "tests/small/test_sums.py", "tests/small/deep/test_a.py", "tests/test_b.py"


@pytest.fixture
def known(tmp_path: Path) -> CoverageMap:
    """Two tests in each of three files; each of the first ones runs a line of its own."""
    names = [f"{file}::{name}" for file in (OTHER, FAR, NEAR) for name in ("one", "two")]
    notes = [[name, "call", float(n), True] for n, name in enumerate(names)]
    (tmp_path / "notes").write_text("\n".join(map(json.dumps, notes)))
    data = CoverageData(str(tmp_path / "coverage"))
    for line, context in enumerate((f"{OTHER}::one|run", f"{NEAR}::one|setup", ""), start=1):
        data.set_context(context)
        data.add_lines({str(tmp_path / SUMS): {line}})
    data.write()
    return CoverageMap(tmp_path, tmp_path / "coverage", tmp_path / "notes")


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        (1, [f"{OTHER}::one"]),
        # A fixture ran it, of which the other tests of the file may also be.
        (2, [f"{NEAR}::one", f"{NEAR}::two"]),
        # It ran while modules were loaded, and nobody knows for whom.
        (3, [f"{NEAR}::one", f"{NEAR}::two", f"{FAR}::one", f"{FAR}::two"]),
        (4, [f"{NEAR}::one", f"{NEAR}::two", f"{FAR}::one", f"{FAR}::two"]),
    ],
)
def test_tests_are_chosen_by_line_and_else_by_place(
    known: CoverageMap, line: int, chosen: list[str]
) -> None:
    assert known.tests(one(SUMS, line), 60) == (chosen, True)


def test_tests_of_a_module_loaded_for_many_are_tried_from_the_nearest(known: CoverageMap) -> None:
    loaded = one(SUMS, 1)._replace(at_import=True)

    assert known.tests(loaded, 60)[0] == [f"{NEAR}::one", f"{NEAR}::two", f"{OTHER}::one"]
    assert known.tests(loaded, 8) == ([f"{NEAR}::one", f"{OTHER}::one"], False)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc to find processes in")
def test_what_a_run_has_started_is_ended_and_nothing_else(tmp_path: Path) -> None:
    command = ["sleep", "60"]
    marks = {"ours": f"{tmp_path}/tree-0-1", "other": f"{tmp_path}-other/tree-0-1"}
    started = {
        name: subprocess.Popen(command, env={**os.environ, mutants._MARK: mark})
        for name, mark in marks.items()
    }
    mutants.end_all(f"{tmp_path}/")

    assert started["ours"].wait(60) == -signal.SIGKILL
    assert started["other"].poll() is None
    started["other"].kill()
    started["other"].wait()
