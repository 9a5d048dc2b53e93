import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import unspool
from tests.cli.runs import SOURCE
from tests.cli.statuslines import (
    ENTRY,
    HEAVY,
    answered,
    given,
    index,
    process,
    shown,
    standard_input,
    talk,
    told,
    transcript,
)
from unspool.cli.statusline import run

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one session of today that cost a dollar and a half."""
    made = answered(answered(talk().user("hi"), 1), 0.5)
    made.save(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Half an hour ago is today, whenever the tests run."""
    monkeypatch.setenv("TZ", f"NOON{time.gmtime().tm_hour - 12:+d}")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def append(root: Path, made: Any, session: str = "s1") -> None:
    with transcript(root, session).open("ab") as file:
        file.write(made.bytes())


def cost(capsys: Capsys, root: Path, of: str = "session", **fields: Any) -> float | None:
    found: float | None = told(capsys, given(root, **fields))[of]["costUsd"]
    return found


def test_a_line_names_model_money_and_context(root: Path, capsys: Capsys) -> None:
    index(root)
    window = {"total_input_tokens": 25_000, "used_percentage": 12, "context_window_size": 200_000}

    line = shown(capsys, given(root, context_window=window)).out

    assert line.startswith("Opus | $1.50 session / $1.50 today / $1.50 block (")
    assert line.endswith(" | 25,000 (\x1b[32m12%\x1b[0m) context\n")


def test_without_an_index_the_transcripts_tell(root: Path, capsys: Capsys) -> None:
    assert cost(capsys, root) == 1.5


def test_what_was_written_since_the_index_counts_too(root: Path, capsys: Capsys) -> None:
    index(root)
    append(root, answered(talk(minutes=1, prefix="later"), 2))

    assert (cost(capsys, root), cost(capsys, root, "today")) == (3.5, 3.5)


def test_a_line_that_repeats_a_counted_answer_counts_once(root: Path, capsys: Capsys) -> None:
    index(root)
    append(root, answered(talk(), 1))  # the same message id

    assert cost(capsys, root) == 1.5


def test_an_answer_that_grew_since_the_index_counts_in_full(root: Path, capsys: Capsys) -> None:
    index(root)
    append(root, answered(talk(), 4))

    assert cost(capsys, root) == 4.5


def test_a_subagent_counts_for_its_session(root: Path, capsys: Capsys) -> None:
    index(root)
    answered(talk(agent="a1", prefix="agent"), 0.25).save(root)

    assert cost(capsys, root) == 1.75


def test_another_session_counts_for_the_day_alone(root: Path, capsys: Capsys) -> None:
    index(root)
    answered(talk("s2"), 10).save(root)

    assert (cost(capsys, root), cost(capsys, root, "today")) == (1.5, 11.5)


def test_a_fork_is_not_counted_twice(root: Path, capsys: Capsys) -> None:
    index(root)
    answered(answered(talk("s2", prefix="s1").user("hi"), 1), 0.5).save(root)

    assert cost(capsys, root, "today") == 1.5


def test_the_figure_is_the_one_the_session_shows(root: Path, capsys: Capsys) -> None:
    usage = {
        "input_tokens": 7,
        "output_tokens": 900,
        "cache_read_input_tokens": 50_000,
        "cache_creation_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 3_000},
        "server_tool_use": {"web_search_requests": 2},
        "inference_geo": "us",
    }
    append(root, talk(minutes=1, prefix="rich").says("x", usage=usage))

    shows = unspool.open().session(transcript(root)).document().metrics.total.cost_usd
    assert cost(capsys, root) == shows


def test_the_users_own_prices_hold(root: Path, home: Path, capsys: Capsys) -> None:
    (home / "unspool").mkdir()
    (home / "unspool" / "prices.toml").write_text("[models.claude-opus-5]\ninput=1\noutput=50\n")

    assert cost(capsys, root) == 3.0


def test_a_rewritten_transcript_is_read_from_its_start(root: Path, capsys: Capsys) -> None:
    index(root)
    path = transcript(root)
    path.write_bytes(answered(talk(minutes=2, prefix="new"), 3).bytes())

    assert cost(capsys, root) == 4.5  # what was counted stays counted


def test_a_figure_of_claude_codes_that_is_far_off_is_told(root: Path, capsys: Capsys) -> None:
    lines = [shown(capsys, given(root, cost={"total_cost_usd": usd})).out for usd in (1.36, 2.0)]

    assert [("Claude Code says" in line) for line in lines] == [False, True]
    assert "$1.50 session (Claude Code says $2.00)" in lines[1]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("auto", "$1.50 session (Claude Code says $9.00)"),
        ("unspool", "$1.50 session /"),
        ("cc", "$9.00 session"),
        ("both", "$1.50 session (Claude Code says $9.00)"),
    ],
)
def test_the_user_chooses_whose_figure(root: Path, capsys: Capsys, source: str, words: str) -> None:
    text = given(root, cost={"total_cost_usd": 9})

    assert words in shown(capsys, text, "--cost-source", source).out


def test_an_index_somebody_writes_is_read_all_the_same(
    root: Path, home: Path, capsys: Capsys
) -> None:
    index(root)
    writer = apsw.Connection(str(home / "unspool" / "index.db"))
    writer.execute("BEGIN EXCLUSIVE; DELETE FROM total")

    assert cost(capsys, root) == 1.5
    writer.close()


def test_a_damaged_index_is_done_without(root: Path, home: Path, capsys: Capsys) -> None:
    index(root)
    (home / "unspool" / "index.db").write_bytes(b"not a database" * 1_000)

    assert cost(capsys, root) == 1.5


def test_nothing_is_written(root: Path, home: Path, capsys: Capsys) -> None:
    assert shown(capsys, given(root)).code == 0

    assert not (home / "unspool").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", '"text"', "{" * 10_000, "\x00", '{"a":1}{']
)
def test_an_input_that_is_no_object_gives_a_short_line(text: str, capsys: Capsys) -> None:
    said = shown(capsys, text)

    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("unspool: ")
    assert len(said.out) < 150


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"session_id": 7, "transcript_path": ["x"], "model": "Opus", "cost": None},
        {"transcript_path": "/nowhere/projects/p/s1.jsonl", "session_id": "s1"},
        {"transcript_path": "\x00", "session_id": "\ud800"},
        {"transcript_path": "relative", "context_window": {"used_percentage": "a"}},
        {"cost": {"total_cost_usd": -1}, "context_window": {"total_input_tokens": 1e400}},
    ],
)
def test_odd_fields_give_a_line(fields: dict[str, Any], capsys: Capsys) -> None:
    said = shown(capsys, json.dumps(fields))

    assert (said.code, said.err, said.out.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("args", [["--nonsense"], ["--cost-source", "x"], ["extra"]])
def test_wrong_usage_is_said_where_it_is_seen(args: list[str], capsys: Capsys) -> None:
    said = shown(capsys, "{}", *args)

    assert said.code == 0
    assert said.out.startswith("unspool: ")


def test_no_colour_is_respected(
    root: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b" not in shown(capsys, given(root, context_window={"used_percentage": 99})).out


def test_a_model_cannot_move_the_cursor(root: Path, capsys: Capsys) -> None:
    text = given(root, model={"display_name": "Opus\x1b[2J\n\x07"})

    assert shown(capsys, text).out.startswith("Opus ␇ | $")


def test_a_root_that_is_named_is_looked_at_too(root: Path, tmp_path: Path, capsys: Capsys) -> None:
    answered(talk("s9"), 5).save(tmp_path / "other")
    with standard_input(given(root)):
        run(["--json", "--root", str(tmp_path / "other")])

    assert json.loads(capsys.readouterr().out)["today"]["costUsd"] == 6.5


def test_where_nothing_is_new_the_model_is_not_loaded(root: Path) -> None:
    index(root)
    said, loaded = process(given(root))

    assert "$1.50 session" in said
    assert not loaded & HEAVY


def test_new_answers_do_not_load_it_either(root: Path) -> None:
    said, loaded = process(given(root))

    assert "$1.50 session" in said
    assert not loaded & HEAVY


def test_an_input_that_stays_open_is_not_waited_for(root: Path) -> None:
    """Claude Code cancels a line that is late; what was said in full is answered at once."""
    command = [sys.executable, "-c", ENTRY]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(
        command, env=around, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        started.stdin.write(given(root))
        started.stdin.flush()

        assert "$1.50 session" in started.stdout.readline()


def test_an_input_that_never_comes_gives_a_line_all_the_same() -> None:
    ours, theirs = os.pipe()
    command = [sys.executable, "-c", ENTRY]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        command, env=around, stdin=ours, capture_output=True, check=False, timeout=60
    )
    os.close(theirs)

    assert (done.returncode, done.stdout[:8], done.stderr) == (0, b"unspool:", b"")


def test_a_closed_input_gives_a_line() -> None:
    command = f"exec {sys.executable} -c '{ENTRY}' <&-"
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(["/bin/sh", "-c", command], env=around, capture_output=True, check=False)

    assert (done.returncode, done.stdout[:8]) == (0, b"unspool:")
