"""Commands and options in the pages exist; every one of them is in the reference."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs import code
from tests.docs.pages import DOCS, MANUAL, codes, fences, name, prose, rows, section
from tools.command_page import MARK, PAGE, reference
from unspool.cli.command_tree import Command, commands

TREE = {one.name: one for one in commands()}
WORDS = {one.name.split()[0] for one in TREE.values()}
# Options of other programs, and made-up ones that redaction.md finds secrets after.
FOREIGN = {"--token", "--silent"}
_OPTION = re.compile(r"(?<![\w-])(?:--[a-z][\w-]*|-[a-z](?![\w-]))")


def test_the_reference_is_what_the_parsers_say_now() -> None:
    written = (DOCS.parent / PAGE).read_text().partition(MARK)[2]

    assert written == reference(TREE.values()), "run: make man"


@pytest.mark.parametrize("command", TREE)
def test_no_option_or_word_is_missing_in_the_reference(command: str) -> None:
    table = codes(section(DOCS.parent / PAGE, f"unspool {command}").replace(r"\|", "|"))
    named = {word for one in table for word in re.split(r"[ |]", one)}
    one = TREE[command]
    wanted = {flag for option in one.options for flag in option.flags}
    wanted |= {word for place in one.places for word in place.words}

    assert sorted(wanted - named) == ["--help", "-h"]


def commands_in(page: Path) -> Iterator[str]:
    """The commands that a page shows, in blocks or in its text."""
    for fence in fences(page, "console", "text"):
        for line in fence.text.splitlines():
            text = re.sub(r"^\w*\$ +", "", line)
            is_input = fence.language == "text" or text != line
            if is_input and re.match(r"unspool( |$)", text):
                yield re.split(r"\s+#|\s[|<>&]", text)[0]
    yield from (one for one in codes(prose(page)) if re.match(r"unspool( |$)", one))


def wrong_words(text: str) -> list[str]:
    """What there is not in a command: the command itself, a word of it, an option."""
    words = [word for word in shlex.split(text.replace("'", '"'))[1:] if word not in ("…", "...")]
    words = [word.strip("[]") for word in words]
    if words[:1] in (["help"], ["--version"], ["--help"]) or not words:
        return []
    first = next((word for word in words if word in WORDS), "serve")
    rest = words[words.index(first) + 1 :] if first in words else []
    nested = f"{first} {rest[0]}" if rest else ""
    command = TREE.get(nested, TREE[first])
    known = {flag for option in command.options for flag in option.flags}
    is_wrong = words[0] not in WORDS and not words[0].startswith("-")
    flags = [word.split("=")[0] for word in words if _OPTION.match(word)]
    missing = [flag for flag in flags if flag not in known]
    return [words[0]] * is_wrong + missing + wrong_places(command, nested, rest)


def wrong_places(command: Command, nested: str, rest: list[str]) -> list[str]:
    """Words at a place where only some may stand."""
    given = rest[1:] if nested == command.name else rest
    only = {word for place in command.places for word in place.words}
    if not given or given[0].startswith("-") or not only or given[0].isupper():
        return []
    return [word for word in given[0].split("|") if word not in only]


@pytest.mark.parametrize("page", MANUAL, ids=name)
def test_every_command_in_a_page_exists(page: Path) -> None:
    assert {one: wrong for one in commands_in(page) if (wrong := wrong_words(one))} == {}


def test_commands_are_found_in_the_pages() -> None:
    assert sum(1 for page in MANUAL for _ in commands_in(page)) > 200


@pytest.mark.parametrize("page", MANUAL, ids=name)
def test_every_option_in_a_page_exists(page: Path) -> None:
    known = {flag for one in TREE.values() for option in one.options for flag in option.flags}
    alone = (one for one in codes(prose(page)) if _OPTION.match(one))
    shown = {flag for one in alone for flag in _OPTION.findall(one)}

    assert sorted(shown - known - FOREIGN - {"--version", "--help"}) == []


def quoted() -> list[str]:
    """The messages that the page about problems is looked up by."""
    tables = (row[0] for row in rows((DOCS / "troubleshooting.md").read_text()))
    return [text for cell in tables for text in re.findall('"([^"]+)"', cell)]


@pytest.mark.parametrize("message", quoted())
def test_every_message_is_one_of_the_program(message: str) -> None:
    parts = [part.strip(" .") for part in message.split("…")]
    spoken = code.sentences()

    assert [one for one in parts if one and not any(one in text for text in spoken)] == []


def test_every_finding_of_the_doctor_is_documented_and_no_other() -> None:
    page = section(DOCS / "troubleshooting.md", "What doctor looks at")
    table = [one for row in rows(page) for one in codes(row[0])]
    beside = codes(page.partition("goes further")[2])

    # Only the page about health has one of the server.
    known = code.call_strings("Finding", argument="about") - {"server"}
    assert sorted({*table, *beside}) == sorted(known)
