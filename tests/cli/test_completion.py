"""Completion scripts: each shell that is installed completes lines that are typed into it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.keyboard import Keyboard
from tests.cli.runs import SOURCE, here, process
from unspool.cli import COMMANDS
from unspool.cli.command_tree import Command, commands
from unspool.cli.completion import SHELLS
from unspool.demo import Transcript

# Sessions are asked for; any other call is noted, as it would have been run.
PROGRAM = f"""#!/bin/sh
case "$1" in
    completion) exec {sys.executable} -m unspool "$@" ;;
    *) for word in "$@"; do printf '%s\\0' "$word"; done > "$NOTED" ;;
esac
"""
PROMPT = "ready> "
BASH = "PS1='ready> '; source {script}\n"
ZSH = "autoload -Uz compinit; compinit -u -D; PS1='ready> '; source {script}\n"
FISH = "function fish_prompt; echo -n 'ready> '; end; source {script}"


@pytest.fixture(scope="module")
def tree() -> list[Command]:
    return commands()


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        (place / shell).write_text(process("completion", shell).out)
    return place


@pytest.fixture
def around(tmp_path: Path) -> dict[str, str]:
    """An environment with the program on its PATH."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "unspool"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    mine = {"PATH": path, "PYTHONPATH": str(SOURCE), "NOTED": str(tmp_path / "noted")}
    return {**os.environ, **mine, "TERM": "xterm", "INPUTRC": "/dev/null"}


def completed(line: str, scripts: Path, env: dict[str, str], cwd: Path | None = None) -> list[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    listed = " ".join(f"'{word}'" for word in words)
    script = (
        f"source {scripts / 'bash'}; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; "
        "_unspool; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    command = ["bash", "--norc", "--noprofile", "-c", script]
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


LINES = {
    "unspool co": ["cost", "collect", "completion"],
    "unspool cost d": ["daily"],
    "unspool cost --mo": ["--model", "--mode"],
    "unspool cost --mode ": ["billing", "devtools"],
    "unspool cost --mode = d": ["devtools"],
    "unspool cost --project cost --order ": ["asc", "desc"],
    "unspool cost explain --t": ["--timezone"],
    "unspool cost explain d": [],
    "unspool index d": ["daemon"],
    "unspool index daemon un": ["uninstall"],
    "unspool index build in": [],
    "unspool --root X in": ["index"],
    "unspool --no": ["--no-browser", "--no-collect"],
    "unspool --vers": ["--version"],
    "unspool help ex": ["export"],
    "unspool tail --lines ": [],
    "unspool ls --status li": ["limited"],
    "unspool search --kind think": ["thinking"],
    "unspool completion z": ["zsh"],
    "unspool hooks inst": ["install"],
}


@pytest.mark.parametrize("line", LINES)
def test_bash_offers_what_fits(line: str, scripts: Path, around: dict[str, str]) -> None:
    assert completed(line, scripts, around) == LINES[line]


def test_bash_offers_every_command_and_every_option(
    tree: list[Command], scripts: Path, around: dict[str, str]
) -> None:
    assert completed("unspool ", scripts, around) == [*COMMANDS, "help"]
    for one in tree:
        flags = [flag for option in one.options for flag in option.flags if flag[:2] == "--"]
        assert completed(f"unspool {one.name} --", scripts, around) == flags


def test_file_names_are_offered_where_a_path_is_wanted(
    tmp_path: Path, scripts: Path, around: dict[str, str]
) -> None:
    (tmp_path / "story.html").touch()
    (tmp_path / "street").mkdir()

    assert completed("unspool export x -o st", scripts, around, tmp_path) == [
        "street",
        "story.html",
    ]
    assert completed("unspool ls --root st", scripts, around, tmp_path) == ["street"]
    assert completed("unspool show ./sto", scripts, around, tmp_path) == ["./story.html"]


def test_sessions_are_offered_newest_first(
    home: Path, scripts: Path, around: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for number, name in enumerate(["older", "newer"]):
        made = Transcript(session=name).user("go").save(home / ".claude")
        os.utime(made, (number, number))

    assert here(capsys, "completion", "--sessions").out == "latest\nnewer\nolder\n"
    assert completed("unspool show ol", scripts, around) == ["older"]
    assert completed("unspool cost explain ", scripts, around) == ["latest", "newer", "older"]


@pytest.fixture(params=SHELLS)
def shell(
    request: pytest.FixtureRequest, scripts: Path, around: dict[str, str], tmp_path: Path
) -> Iterator[Keyboard]:
    name = request.param
    program = shutil.which(name) or pytest.skip(f"{name} is not installed")
    script = scripts / name
    (tmp_path / ".zshrc").write_text(ZSH.format(script=script))
    (tmp_path / ".bashrc").write_text(BASH.format(script=script))
    options = {
        "bash": ["--noprofile", "--rcfile", str(tmp_path / ".bashrc"), "-i"],
        "zsh": ["-d", "-i"],
        "fish": ["--no-config", "--interactive", "--init-command", FISH.format(script=script)],
    }
    made = Keyboard([program, *options[name]], {**around, "ZDOTDIR": str(tmp_path)})
    try:
        yield made
    finally:
        made.close()


def test_tab_completes_a_line_in_a_real_shell(shell: Keyboard, around: dict[str, str]) -> None:
    assert shell.reads(PROMPT)
    shell.types("unspool cos\t--mode dev\tmon\t--breakd\t\n")

    assert shell.reads(PROMPT)
    words = Path(around["NOTED"]).read_text().split("\0")[:-1]
    assert words == ["cost", "--mode", "devtools", "monthly", "--breakdown"]


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_finds_no_fault_in_its_script(name: str, scripts: Path) -> None:
    program = shutil.which(name) or pytest.skip(f"{name} is not installed")
    done = subprocess.run([program, "-n", scripts / name], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", SHELLS)
def test_every_script_has_every_command_option_and_word(
    name: str, tree: list[Command], scripts: Path
) -> None:
    text = (scripts / name).read_text()
    for one in tree:
        known = [flag for option in one.options for flag in option.flags if flag[:2] == "--"]
        known += [word for argument in (*one.options, *one.places) for word in argument.words]
        wanted = [flag if name != "fish" else flag.replace("--", "-l ") for flag in known]
        assert [word for word in [*one.name.split(), *wanted] if word not in text] == []


def test_a_script_comes_as_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(here(capsys, "completion", "bash", "--json").out)

    assert answer["shell"] == "bash"
    assert answer["script"] == here(capsys, "completion", "bash").out


def test_without_a_shell_it_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, "completion")

    assert (said.code, said.out) == (2, "")
    assert "name your shell: bash, zsh or fish" in said.err
