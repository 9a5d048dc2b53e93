"""Two hundred hostile texts in an exported file, opened from disk: it stays a page of ours."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import hostile
from tests.browser.payloads import PAYLOADS
from unspool.cli import config
from unspool.cli.config import open_stores
from unspool.engine.export.files import Export, ExportOptions


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page()
    yield made
    made.close()


def opened(page: Page, place: Path, number: int, payloads: Sequence[str]) -> hostile.Seen:
    """A session of some payloads as a file, opened from disk."""
    sessions = open_stores([str(place)]).root_sessions()
    name = hostile.save(place, number, payloads)
    export = Export(sessions.open(sessions.find(name)), ExportOptions(now=config.now()))
    file = place / f"{number}.html"
    file.write_bytes(b"".join(export.pieces()))
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    return hostile.seen(page)


@pytest.fixture(scope="module")
def ours(page: Page, tmp_path_factory: pytest.TempPathFactory) -> hostile.Seen:
    """A file in which nothing means harm."""
    return opened(page, tmp_path_factory.mktemp("plain"), 0, [hostile.PLAIN] * 4)


def test_there_are_two_hundred_of_them() -> None:
    assert len(set(PAYLOADS)) >= 200


@pytest.mark.parametrize("number", hostile.some_are_slow(first=2))
def test_nothing_of_a_hostile_text_comes_alive_in_a_file(
    page: Page, tmp_path: Path, ours: hostile.Seen, number: int
) -> None:
    asked = hostile.watched(page, "file:")
    here = opened(page, tmp_path, number, hostile.GROUPS[number])

    assert hostile.foreign(here, ours, "file:") + asked == []


def test_the_check_sees_what_comes_alive(page: Page, tmp_path: Path, ours: hostile.Seen) -> None:
    asked, file = hostile.watched(page, "file:"), tmp_path / "x.html"
    file.write_text("<img src=http://evil.test/i.png onerror=pwned()><a href='javascript:pwned()'>")
    page.goto(file.as_uri())
    page.wait_for_function("() => window.ran")

    assert asked == ["http://evil.test/i.png"]
    assert {"attribute img onerror", "address javascript:pwned()", "a script ran"} <= {
        *hostile.foreign(hostile.seen(page), ours, "file:")
    }
