"""No command writes a secret: each is run in every form, on a pipe and on a narrow terminal."""

import json
import os
import re
import signal
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import get_args

import pytest

import unspool
from tests.cli.runs import SOURCE, here, terminal_batch
from tests.cli.test_tail import following
from tests.cli.top.ptys import pty
from tests.e2e.planted_root import AGENT, CWD, OTHER_CWD, PROJECT, SECRETS, SESSION, leaks, plant
from unspool.cli import COMMANDS, config, main
from unspool.demo import Transcript
from unspool.engine.export.files import Format
from unspool.engine.usage.cost import CAUSES, GROUPS, PERIODS
from unspool.model.rows import TextKind

FORMATS = get_args(Format)
# Every form of each command that writes something of a session.
RUN: dict[str, list[str]] = {
    "ls": ["", "--json", "--all", "--all --json", "--limit 3", "--since 7d", "--status working",
           "--project planted"],
    "show": [
        f"{SESSION} {form}".rstrip()
        for form in (
            "", "--json", "--turns", "--turns --json", "--lines", "--lines --json",
            f"--agent {AGENT}", f"--agent {AGENT} --json", f"--agent {AGENT} --lines",
            "--first 2 --limit 3", f"--project={PROJECT}", "--no-pager",
        )
    ] + ["cut-5", "cut-5 --turns", "cut-5 --lines", "hooks-only", "elsewhere", "waiting"],
    "search": [
        "planted --limit 500", "planted --json --limit 500", "planted --ranked",
        "planted --regex --limit 500", "postgres --limit 500", "word db --limit 500",
        f"planted --session {SESSION}", "planted --since 7d --until 2030-01-01",
        "planted --project planted --json",
        *(f"planted --kind {kind} --limit 500" for kind in get_args(TextKind)[1:]),
    ],
    "export": [
        f"{SESSION} --format {format} -o - {more}".rstrip()
        for format in FORMATS
        for more in ("", f"--agent {AGENT}", "--anonymise", f"--project={PROJECT}")
    ] + ["waiting --format json -o -"] + [
        f"{SESSION} --format {format} -o - --level {level}"
        for format in ("html", "md") for level in ("story", "everything")
    ],
    "top": ["--once", "--json --once", "--once --sort cost", "--once --filter planted"],
    "cost": [
        f"{by} {more}".rstrip()
        for by in (*PERIODS, *GROUPS, "blocks", *CAUSES)
        for more in ("", "--json", "-b", "--project planted")
    ] + [f"explain {SESSION}", f"explain {SESSION} --json", "explain elsewhere"],
    "forget": [
        f"{what} {more}".rstrip()
        for what in (f"{SESSION} --dry-run", "--secret --dry-run", "--list")
        for more in ("", "--json")
    ],
    "index": ["build", "status", "status --json"],
    "doctor": ["", "--json", "schema", "schema --json"],
    "statusline": ["", "--json"],
}  # fmt: skip
# By tests of their own below; these say nothing of a session.
ELSEWHERE, SILENT = {"sql", "tail", "collect"}, {"serve", "hooks", "gen", "completion", "hub"}
# Options that choose among the same lines, or that are for other output than a session's.
SAME = {
    "-h", "--help", "--root", "--project",
    "--unredacted", "--schema", "--cursor", "--force", "--output", "-j",
    "--since", "--until", "--model", "--timezone", "-z", "--mode", "--order", "--start-of-week",
    "-a", "--active", "-r", "--recent", "-t", "--token-limit", "-n", "--session-length",
    "--breakdown", "--separate", "--yes", "--restore",
    "--follow", "--daemon", "--quiet", "--no-alerts", "--strict", "--cost-source",
    "--visual-burn-rate", "--context-low-threshold", "--context-medium-threshold",
}  # fmt: skip


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root, and in it a home with its index."""
    place = tmp_path_factory.mktemp("exits")
    plant(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(place / "home"))
        patch.setenv("CLAUDE_CONFIG_DIR", str(place))
        main(["index", "build", "--root", str(place)])
        main(["forget", "forgotten", "--yes", "--root", str(place)])
    return place


@pytest.fixture
def place(planted: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same; commands use its index, not that of the home each test has."""
    monkeypatch.setenv("UNSPOOL_HOME", str(planted / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(planted))
    return planted


def given(root: Path) -> bytes:
    """What Claude Code writes to the status line."""
    path = root / "projects" / PROJECT / f"{SESSION}.jsonl"
    model = {"id": f"claude-{SECRETS['model']}", "display_name": SECRETS["model"]}
    place = {"current_dir": f"{CWD}/{SECRETS['path']}", "project_dir": CWD}
    return json.dumps(
        {"session_id": SESSION, "transcript_path": str(path), "model": model, "workspace": place}
    ).encode()


def test_every_command_is_in_the_walk() -> None:
    assert {*RUN, *ELSEWHERE, *SILENT} == set(COMMANDS)


@pytest.mark.parametrize("command", RUN)
def test_every_option_is_in_the_walk(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = here(capsys, command, "--help").out
    options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text.split("options:")[1]))
    used = {"--json"} | {word.partition("=")[0] for form in RUN[command] for word in form.split()}

    assert options - used - SAME == set()


@pytest.mark.parametrize("command", RUN)
def test_no_secret_leaves_by(
    command: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = {}
    for form in RUN[command]:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given(place))))
        done = here(capsys, command, *form.split(), "--root", place)
        assert (form, done.code) == (form, 0)
        said[form] = done.out + done.err

    assert {form: left for form, text in said.items() if (left := leaks(text))} == {}


CUT = (
    "ls", f"show {SESSION}", f"show {SESSION} --turns", f"show {SESSION} --lines", "show cut-7",
    "search planted --limit 100", "top --once", "cost session", "cost project",
    "sql SELECT~*~FROM~events", "sql SELECT~*~FROM~lines",
)  # fmt: skip


@pytest.mark.parametrize("columns", [60, 133])
def test_no_secret_leaves_where_lines_are_cut_to_fit(columns: int, place: Path) -> None:
    forms = [[word.replace("~", " ") for word in args.split()] for args in CUT]
    shown = terminal_batch(*([*form, "--root", str(place)] for form in forms), columns=columns)
    said = dict(zip(CUT, shown, strict=True))

    assert [args for args, text in said.items() if not text] == []
    assert {args: left for args, text in said.items() if (left := leaks(text))} == {}


def tables(place: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Every table and view that SQL can ask."""
    found = json.loads(here(capsys, "sql", "--tables", "--json", "--root", place).out)
    return [one["table"] for one in found["items"]]


@pytest.mark.parametrize("form", ["", "--json", "--csv"])
def test_no_secret_leaves_by_any_table(
    form: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tables(place, capsys)
    said = {}
    for name in names:
        query = f'SELECT * FROM "{name}"'  # noqa: S608 - a name of ours
        done = here(capsys, "sql", query, *form.split(), "--limit", "100000", "--root", place)
        assert (name, done.code) == (name, 0)
        said[name] = done.out

    assert len(names) > 8
    assert {name: left for name, text in said.items() if (left := leaks(text))} == {}
    assert leaks(here(capsys, "sql", "--tables", "--root", place).out) == []


@pytest.mark.parametrize("form", [(), ("--json",), (SESSION,)])
def test_no_secret_leaves_by_tail(form: tuple[str, ...], place: Path) -> None:
    with following(*form, "-n", "1000", "--root", place) as made:
        assert made.stdout
        lines: list[str] = []
        while not any("rm " in line for line in lines[-1:]):  # the last call of the session
            lines.append(made.stdout.readline())

    text = "".join(lines)
    assert "redacted: " in text
    assert leaks(text) == []


def test_no_secret_leaves_by_tail_where_a_file_is_written_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(tmp_path)
    here(capsys, "index", "build", "--root", tmp_path)
    with following("elsewhere", "--json", "-n", "9", "--root", tmp_path) as made:
        assert made.stdout
        lines = [made.stdout.readline() for _ in range(2)]
        start = config.local_now().isoformat()
        other = Transcript(session="elsewhere", cwd=OTHER_CWD, start=start)
        other.user(f"anew {SECRETS['prompt']}").save(tmp_path)
        lines += [made.stdout.readline() for _ in range(2)]

    text = "".join(lines)
    assert "was rewritten" in text
    assert "anew [redacted: " in text
    assert leaks(text) == []


def test_no_secret_leaves_by_the_live_board_or_by_a_session_opened_on_it(place: Path) -> None:
    command = [sys.executable, "-m", "unspool", "top", "--root", str(place)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm"}
    with pty(133, 900) as person:  # high enough for all of it
        end = person.theirs
        with subprocess.Popen(command, env=around, stdin=end, stdout=end, stderr=end):
            filtered = f"/{SESSION}\r\r"
            person.act([("Idle", filtered), (f"session {SESSION}", "q"), ("? help", "q")])

    assert not person.missing
    assert person.seen.count("redacted: ") > 50
    assert leaks(person.seen) == []


def test_no_secret_leaves_by_a_board_that_is_followed(place: Path) -> None:
    command = [sys.executable, "-m", "unspool", "top", "--json", "--follow", "--root", str(place)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE, text=True) as made:
        assert made.stdout
        text = made.stdout.readline()
        made.send_signal(signal.SIGINT)

    assert "redacted: " in text
    assert leaks(text) == []


@pytest.mark.parametrize("format", FORMATS)
def test_no_secret_leaves_by_a_file_or_by_what_is_said_of_it(
    format: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"x.{format}"
    done = here(capsys, "export", SESSION, "-o", file, "--json", "--root", place)

    assert done.code == 0
    assert leaks(file.read_text("utf-8") + done.out + done.err) == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("anonymise", [False, True])
def test_no_secret_leaves_by_an_export_of_the_library(
    format: Format, anonymise: bool, place: Path
) -> None:
    with unspool.open(place) as workspace:
        made = workspace.export(workspace.session(SESSION), format, anonymise=anonymise)

    text = made.decode()
    assert len(text) > 1_000
    assert leaks(text) == []


def test_nothing_that_commands_note_has_a_secret(place: Path) -> None:
    kept = ("index.db", "raw.db", "spool", "projects.json", "cost.cache", "forgotten.jsonl")
    ours = (path for path in (place / "home").rglob("*") if path.is_file())
    noted = [
        path for path in ours if not path.relative_to(place / "home").parts[0].startswith(kept)
    ]

    assert [
        path.name for path in noted if leaks(path.read_bytes().decode("utf-8", "replace"))
    ] == []
