import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

import unspool
from tests.cli.runs import SOURCE, here, process
from unspool import cli
from unspool.cli import COMMANDS, ls, serve
from unspool.cli.arguments import CommandParser
from unspool.demo import Transcript

HEAVY = "msgspec argparse rich platformdirs json re re2 pathlib typing inspect unspool.engine"


def loaded(*args: str) -> set[str]:
    """The modules a run of the command has loaded by its end."""
    code = f"import sys; from unspool.cli import main; main({list(args)!r}); print(*sys.modules)"
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(SOURCE)!r}); {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_a_word_about_itself_loads_nothing_heavy(option: str) -> None:
    assert not loaded(option) & set(HEAVY.split())


def test_the_version_is_the_one_that_was_released() -> None:
    project = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text())["project"]

    assert unspool.__version__ == project["version"]
    assert process("--version").out == f"unspool {unspool.__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "--help")

    assert said.code == 0
    assert all(f"unspool {name}" in said.out for name in COMMANDS)


# The status line never fails: Claude Code shows whatever it prints.
SPEAKING = [name for name in COMMANDS if name != "statusline"]


@pytest.mark.parametrize("name", SPEAKING)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, name, "--json", "--nonsense")

    assert said.code == 2
    assert "usage: unspool" in said.err


def test_alone_it_serves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[str] = []

    def run(args: list[str]) -> int:
        given.extend(args)
        return 0

    monkeypatch.setattr(serve, "run", run)

    assert here(capsys, "--port", "0").code == 0
    assert given == ["--port", "0"]


def test_alone_it_takes_what_serving_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "--port", "70000").code == 2


def test_an_unknown_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "xyzzy")

    assert said.code == 2
    known = ", ".join(COMMANDS)
    assert said.err == (
        f"unspool: There is no command 'xyzzy'. Commands: {known}. See unspool --help.\n"
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serv", "serve"), ("lss", "ls"), ("help sarch", "search"), ("ls --jsn", "--json"),
        ("ls --limt=3", "--limit"), ("--jsn ls", "--json"), ("cost dayly", "daily"),
        ("cost --breakdwn", "--breakdown"), ("cost explain x --timezon UTC", "--timezone"),
        ("index biuld", "build"), ("index daemon strat", "start"), ("hooks instal", "install"),
        ("doctor scheme", "schema"), ("serve stats", "status"), ("export x --format htm", "html"),
        ("top --sort stats", "status"), ("--no-browsr", "--no-browser"),
    ],
)  # fmt: skip
def test_a_typo_gets_a_suggestion(
    capsys: pytest.CaptureFixture[str], typed: str, meant: str
) -> None:
    said = here(capsys, *typed.split())

    assert (said.code, said.out) == (2, "")
    assert f" Did you mean {meant}?" in said.err


def test_what_is_like_nothing_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "ls", "--zzz")

    assert said.err.endswith("unspool ls: error: unrecognized arguments: --zzz\n")


@pytest.mark.parametrize(
    "args",
    [
        "search --regex [", "search", "search x --since soon", "search x --regex --ranked",
        "sql", "sql SELEC", "sql SELECT\xa01;SELECT\xa02", "sql DROP\xa0TABLE\xa0lines", "sql \x00",
        "cost blocks -t abc", "cost blocks -n 0", "cost blocks -n x", "cost --since soon",
        "cost --until never", "cost -z Nowhere/City", "cost --mode none", "cost explain",
        "serve --host 0.0.0.0", "serve --port 99999", "serve --key FILE", "serve start",
        "index all", "index build start", "index build --daemon", "show", "show x --lines --turns",
        "show x --limit -1", "ls --status odd", "ls --since soon", "ls --project", "ls extra",
        "export x --json --format md", "export x -o a.odd", "export x --anonymise --unredacted",
        "gen", "gen DIR --mb -1", "gen DIR --sessions 0", "hooks remove", "doctor all",
        "tail --lines x", "top --follow", "statu", "help statu",
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_2_everywhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").touch()
    words = [word.replace("\xa0", " ") for word in args.split(" ")]
    said = here(capsys, *words)

    assert (said.code, said.out) == (2, "")
    assert said.err.count("Traceback") == 0
    assert said.err


def test_a_disk_that_fails_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    said = here(capsys, "gen", tmp_path / "file" / "below")

    assert said.code == 1
    assert said.err.startswith("unspool: Not a directory: ")
    assert said.err.count("\n") == 1


def test_control_c_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(args: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(ls, "run", interrupted)

    assert here(capsys, "ls") == (130, "", "")


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    talk = Transcript(session="wanted")
    for _ in range(3_000):
        talk.user("x" * 100)
    talk.save(tmp_path)
    command = [sys.executable, "-m", "unspool", "show", "wanted", "--root", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": ""}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        running.stdout.close()

        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.parametrize("args", ["--version", "help ls", "ls --json", "xyzzy"])
def test_closed_streams_are_no_failure(args: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = f"exec {sys.executable} -m unspool {args} >&- 2>&-"
    done = subprocess.run(["/bin/sh", "-c", command], env=env, check=False)

    assert done.returncode == (2 if args == "xyzzy" else 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("args", ["--version", "ls --json"])
def test_a_full_disk_is_told_in_a_sentence(args: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "unspool", *args.split()],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": ""},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.endswith("unspool: No space left on device: the output\n")


def test_a_terminal_without_our_letters_shows_others(tmp_path: Path) -> None:
    Transcript(session="wanted").user("naïve · 漢字").save(tmp_path)
    said = process("show", "wanted", "--root", tmp_path, PYTHONIOENCODING="ascii")

    assert said.code == 0
    assert "na?ve ? ??" in said.out


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_so_does_what_it_says_about_itself(option: str) -> None:
    said = process(option, PYTHONIOENCODING="ascii")

    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("unspool ")


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command that runs, and what it is given."""
    words: list[str] = []

    def run(name: str, args: list[str]) -> int:
        words.extend([name, *args])
        return 0

    monkeypatch.setattr(cli, "_run", run)
    return words


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("--root X ls", "ls --root X"),
        ("--json cost daily -b", "cost daily -b --json"),
        ("--root X cost explain S", "cost explain S --root X"),
        ("--root ls ls", "ls --root ls"),
        ("--project show ls", "ls --project show"),
        ("--root=X search -- -word", "search --root=X -- -word"),
        ("ls --root X", "ls --root X"),
        ("search ls --json", "search ls --json"),
        ("--root ls", "serve --root ls"),
        ("--port 0 --demo", "serve --port 0 --demo"),
        ("--help ls", "ls --help"),
        ("help ls", "ls --help"),
        ("help cost explain", "cost explain --help"),
        ("cost --json explain S", "cost --json explain S"),
    ],
)
def test_options_may_stand_before_the_command(given: list[str], typed: str, command: str) -> None:
    assert cli.main(typed.split()) == 0
    assert given == command.split()


def test_they_do_there_what_they_do_behind_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript(session="wanted").user("read this").save(tmp_path)

    said = here(capsys, "--root", tmp_path, "--json", "ls")
    assert (said.code, said.out.count('"id":"wanted"')) == (0, 1)


def parser_of(name: str, monkeypatch: pytest.MonkeyPatch) -> CommandParser:
    """The parser of a command, when it is about to be used."""
    caught: list[CommandParser] = []

    def parse(parser: CommandParser, *_: object) -> NoReturn:
        caught.append(parser)
        raise SystemExit

    monkeypatch.setattr(CommandParser, "parse_known_args", parse)
    with pytest.raises(SystemExit):
        import_module(f"unspool.cli.{name}").run([])
    return caught[0]


@pytest.mark.parametrize("name", SPEAKING)
def test_a_text_that_an_option_takes_is_no_command(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = parser_of(name, monkeypatch)._option_string_actions.items()
    take_text = {name for name, one in actions if one.nargs is None and not one.choices}
    numbers = {"--limit", "--first", "--lines", "-n", "--port", "--mb", "--seed", "--seconds"}
    numbers.add("--sockets")
    words = {"--sessions", "--session-length", "--token-limit", "-t", "--timezone", "-z", "--kind"}

    assert take_text - numbers - words - {"--start-of-week", "--status"} <= set(cli.TAKE_TEXT)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [*((name, "ascii") for name in COMMANDS), ("cost", "latin-1"), ("sql", "utf-16")],
)
def test_help_can_be_printed_in_any_encoding(name: str, encoding: str) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "unspool", "help", name],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": f"{encoding}:strict"},
        capture_output=True,
        check=False,
    )

    assert (said.returncode, said.stderr) == (0, b"")
    assert said.stdout.decode(encoding).startswith(f"usage: unspool {name}")


def test_a_root_may_have_the_name_of_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = here(capsys, "--root", "ls")

    assert (said.code, said.out) == (3, "")
    assert f"No directory at {tmp_path / 'ls'}" in said.err


def test_an_error_cannot_colour_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "show", "\x1b[31m/nowhere")

    assert said.code == 3
    assert "\x1b" not in said.err
