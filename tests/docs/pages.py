"""Markdown pages of the repository: their fences, tables, links and anchors."""

import re
from pathlib import Path
from typing import NamedTuple

from tests.conftest import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGES = sorted([*REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")])
# What a user reads about this version: not what changed, and not how to change it.
MANUAL = [page for page in PAGES if page.parent == DOCS or page.name == "README.md"]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Fence(NamedTuple):
    """A block of code."""

    language: str
    text: str


def name(page: Path) -> str:
    """A page as tests name it."""
    return str(page.relative_to(REPOSITORY))


def fences(page: Path, *languages: str) -> list[Fence]:
    """The blocks of a page, or those in some languages."""
    found = (Fence(one[1], one[2]) for one in _FENCE.finditer(page.read_text()))
    return [one for one in found if not languages or one.language in languages]


def prose(page: Path) -> str:
    """A page without its blocks."""
    return _FENCE.sub("", page.read_text())


def codes(text: str) -> list[str]:
    """What stands between backticks."""
    return _CODE.findall(text)


def links(page: Path) -> list[str]:
    """Where a page links to, pictures included."""
    return _LINK.findall(_CODE.sub("", prose(page)))


def anchors(page: Path) -> set[str]:
    """Headings as GitHub names them: letters, digits and dashes, a number on those repeated."""
    found: list[str] = []
    for heading in _HEADING.findall(prose(page)):
        plain = re.sub(r"\]\([^)]*\)|[`*\[\]]", "", heading).strip().lower()
        slug = re.sub(r"[^\w -]", "", plain).replace(" ", "-")
        found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return set(found)


def section(page: Path, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    text = page.read_text()
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    assert found, f"{name(page)} has no heading {heading!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The rows of all tables, without their heads: cells."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {at - 1 for at, line in enumerate(lines) if set(line) <= set("|-: ")}
    kept = [line for at, line in enumerate(lines) if at not in heads and at - 1 not in heads]
    return [re.split(r"(?<!\\)\|", line.strip("|")) for line in kept]


def first_cells(text: str) -> list[str]:
    """The names in the first column of all tables."""
    return [code for row in rows(text) for code in codes(row[0])]
