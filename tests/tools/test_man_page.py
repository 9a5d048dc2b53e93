"""docs/unspool.1, the man page: complete, as the parsers are now, and readable by man."""

import re
import shutil
import subprocess

import pytest

from tests.conftest import REPOSITORY
from tools.man_page import PAGE, page
from unspool.cli.command_tree import Argument, Command, commands

TEXT = (REPOSITORY / PAGE).read_text()


@pytest.fixture(scope="module")
def tree() -> list[Command]:
    return commands()


def test_the_page_is_what_the_parsers_say_now(tree: list[Command]) -> None:
    assert page(tree) == TEXT, "run: .venv/bin/python -m tools.man_page"


def section(name: str) -> str:
    """The part of the page that is about a command, without the marks of roff."""
    head = re.escape(f".SS unspool {name}") + r"(?= |\n)(?! explain| daemon)"
    found = re.search(rf"{head}.*?(?=\n\.S[SH] )", TEXT, re.DOTALL)
    assert found, name
    return found[0].replace(r"\-", "-").replace(r"\fR", "").replace(r"\fB", "")


def test_no_command_option_or_word_is_missing(tree: list[Command]) -> None:
    for one in tree:
        part = section(one.name)
        arguments: tuple[Argument, ...] = (*one.options, *one.places)
        wanted = [name for argument in arguments for name in (*argument.flags, *argument.words)]
        assert [name for name in wanted if name not in part] == []
        assert all(argument.help for argument in arguments), one.name


def test_every_line_is_a_request_of_man_or_text() -> None:
    known = {".TH", ".SH", ".SS", ".TP", ".B", '.\\"'}
    requests = {line.split()[0] for line in TEXT.splitlines() if line[:1] in (".", "'")}
    escapes = set(re.findall(r"\\(\(..|f.|.)", TEXT))

    assert requests == known
    assert escapes <= {"-", "&", "e", '"', "fB", "fI", "fR", "(ga", "(aq"}
    assert all(TEXT.splitlines())
    assert TEXT.isascii()


def test_man_renders_it_without_a_warning(tree: list[Command]) -> None:
    groff = shutil.which("groff") or pytest.skip("groff is not installed")
    command = [groff, "-man", "-Tascii", "-ww", "-P-cbou", str(REPOSITORY / PAGE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stderr == ""
    words = re.sub(r"-\n\s+", "-", done.stdout)
    assert all(f"unspool {one.name}" in words for one in tree)
    assert "--context-medium-threshold PERCENT" in words
    assert "\\" not in words
