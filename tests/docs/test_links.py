"""Every link of every page leads somewhere, and every page of docs/ is found from its index."""

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, anchors, links, name


def is_outside(link: str) -> bool:
    return link.startswith(("http://", "https://", "mailto:"))


def broken(page: Path) -> list[str]:
    found = []
    for link in links(page):
        if is_outside(link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_resolves(page: Path) -> None:
    assert broken(page) == []


def test_there_are_links_to_check() -> None:
    assert sum(len(links(page)) for page in PAGES) > 100


def test_every_page_is_in_the_index() -> None:
    index = {link.partition("#")[0] for link in links(DOCS / "README.md")}

    assert {page.name for page in DOCS.iterdir() if page.is_file()} - {"README.md"} <= index
