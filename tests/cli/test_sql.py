import csv
import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.made import root, talk
from tests.cli.runs import SOURCE, Said, here, process, terminal
from tests.examples import examples
from tests.waiting import has_open, until
from unspool.engine import freshness

Capsys = pytest.CaptureFixture[str]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@pytest.fixture
def place(tmp_path: Path, capsys: Capsys) -> Path:
    here(capsys, "index", "build", "--root", root(tmp_path, talk(), talk("session-two", 2)))
    return tmp_path


def ask(capsys: Capsys, place: Path, text: str, *args: str) -> Said:
    return here(capsys, "sql", text, "--root", place, *args)


def test_an_answer_is_a_table(place: Path, capsys: Capsys) -> None:
    said = ask(capsys, place, "SELECT session_id, lines FROM sessions ORDER BY 1")

    assert said == Said(0, "session_id   lines\nsession-one      5\nsession-two      5\n", "")


def test_json_gives_objects(place: Path, capsys: Capsys) -> None:
    said = ask(capsys, place, "SELECT type, count(*) AS n FROM lines GROUP BY 1", "--json")

    assert json.loads(said.out) == {
        "items": [{"type": "assistant", "n": 6}, {"type": "user", "n": 4}],
        "nextCursor": None,
    }


def test_csv_can_be_read_back(place: Path, capsys: Capsys) -> None:
    said = ask(capsys, place, "SELECT session_id, title FROM sessions ORDER BY 1", "--csv")

    assert list(csv.reader(StringIO(said.out)))[1] == ["session-one", "alpha prompt of session-one"]


def test_a_limit_is_kept_and_said(place: Path, capsys: Capsys) -> None:
    said = ask(capsys, place, "SELECT line_number FROM lines", "--limit", "2")

    assert said.out.endswith("\n\n2 rows; --limit gives more\n")
    assert len(said.out.splitlines()) == 5


def test_no_rows_are_told(place: Path, capsys: Capsys) -> None:
    said = ask(capsys, place, "SELECT line_id FROM lines WHERE line_id < 0")

    assert said.out == "line_id\n\n0 rows\n"


def test_the_text_of_lines_can_be_asked_for(place: Path, capsys: Capsys) -> None:
    said = ask(capsys, place, "SELECT preview FROM lines WHERE preview LIKE '%thought%'", "--csv")

    assert said.out == "preview\nalpha thought\nalpha thought\n"


def test_a_question_may_come_on_standard_input(place: Path) -> None:
    command = [sys.executable, "-m", "unspool", "sql", "-", "--csv", "--root", str(place)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        command, env=around, input="SELECT 1 AS one", capture_output=True, text=True, check=True
    )

    assert done.stdout == "one\n1\n"


def test_tables_are_listed_with_their_columns(place: Path, capsys: Capsys) -> None:
    told = json.loads(here(capsys, "sql", "--tables", "--json", "--root", place).out)
    columns = {item["table"]: item["columns"] for item in told["items"]}

    assert columns["files_touched"][:4] == ["session_id", "path", "tool", "line_id"]
    assert "hook_join" in columns
    assert "files_touched\n" in here(capsys, "sql", "--tables", "--root", place).out


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM sessions",
        "SELECT * FROM session",
        "SELECT * FROM sqlite_master",
        "ATTACH 'x.db' AS x",
        "PRAGMA journal_mode",
        "SELECT 1; SELECT 2",
        "SELECT nonsense FROM lines",
        "SELEC",
        "SELECT load_extension('x')",
        "",
    ],
)
def test_what_may_not_be_asked_is_told_in_one_sentence(
    place: Path, capsys: Capsys, text: str
) -> None:
    said = ask(capsys, place, text or " ; ")

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("unspool: ")
    assert said.err.count("\n") == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(50))
@given(st.text(max_size=40).filter(lambda text: not text.startswith("-")))
def test_whatever_is_asked_is_answered_or_refused(place: Path, capsys: Capsys, text: str) -> None:
    assert ask(capsys, place, text or "x", "--json").code in (0, 1, 2)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc to see in what it does")
def test_a_question_can_be_interrupted(place: Path) -> None:
    command = [sys.executable, "-m", "unspool", "sql", ENDLESS, "--root", str(place)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=around, stderr=subprocess.PIPE) as asking:
        assert until(lambda: has_open(asking.pid, "index.db"))
        asking.send_signal(signal.SIGINT)
        _, err = asking.communicate(timeout=60)

    assert (asking.returncode, err) == (130, b"")


def test_a_small_root_is_indexed_on_the_way(tmp_path: Path, capsys: Capsys) -> None:
    assert ask(capsys, root(tmp_path), "SELECT count(*) FROM lines").code == 0


def test_without_an_index_and_with_much_to_read_it_says_how_to_make_one(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "QUICK", 10)
    said = ask(capsys, root(tmp_path), "SELECT 1")

    assert (said.code, "unspool index build" in said.err) == (3, True)


def test_nothing_asked_is_wrong_usage(capsys: Capsys) -> None:
    assert here(capsys, "sql").code == 2


def test_on_a_terminal_a_wide_answer_fits(place: Path) -> None:
    shown = terminal("sql", "SELECT * FROM sessions", "--root", place, NO_COLOR="1")

    assert all(len(line) <= 80 for line in shown.splitlines())
    assert shown.count("session_id ") == 2


def test_it_runs_as_a_process(place: Path) -> None:
    assert process("sql", "SELECT 2 AS two", "--csv", "--root", place).out == "two\n2\n"
