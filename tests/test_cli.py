import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import unspool
from tests.cli.runs import SOURCE, here, process
from unspool.cli import COMMANDS, ls, serve
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
    said = here(capsys, "lst")

    assert said.code == 2
    known = ", ".join(COMMANDS)
    assert said.err == (
        f"unspool: There is no command 'lst'. Commands: {known}. See unspool --help.\n"
    )


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
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        running.stdout.close()

        assert running.stderr.read() == b""
    assert running.returncode == 0


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


@pytest.mark.parametrize(
    ("args", "right"),
    [
        (("--root", "X", "ls"), "unspool ls --root X"),
        (("--json", "cost", "daily"), "unspool cost --json daily"),
        (("-v", "show", "a b"), "unspool show -v 'a b'"),
        (("--root", "ls", "ls"), "unspool ls --root ls"),
    ],
)
def test_options_before_the_command_are_wrong_usage(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], right: str
) -> None:
    assert here(capsys, *args) == (2, "", f"unspool: Options go after the command: {right}\n")


def test_a_root_may_have_the_name_of_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = here(capsys, "--root", "ls")

    assert (said.code, "after the command" in said.err) == (3, False)


def test_an_error_cannot_colour_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "show", "\x1b[31m/nowhere")

    assert said.code == 3
    assert "\x1b" not in said.err
