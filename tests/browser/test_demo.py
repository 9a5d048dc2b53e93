"""Made-up sessions in a real browser: pages say so, and open ones turn to the real sessions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser import axe
from tests.browser.scene import Watched
from tests.browser.test_pages import PAGES, VIEWS
from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.waiting import until

NOTE = "These sessions are made up; yours will appear here as soon as ~/.claude/projects has one."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    home = tmp_path_factory.mktemp("home")
    with serving(None, browser=None, **around(home)) as made:
        assert until(lambda: made.get("/api/health")["status"] == "ok")
        yield made


@pytest.fixture(scope="module")
def context(browser: Browser, server: Serving) -> Iterator[BrowserContext]:
    made = entered(browser, server)
    yield made
    made.close()


def around(home: Path) -> dict[str, str]:
    """An empty machine; what is temporary goes with the test."""
    return {"HOME": str(home), "UNSPOOL_HOME": str(home / "unspool"), "TMPDIR": str(home)}


def entered(browser: Browser, server: Serving) -> BrowserContext:
    """A browser that was let in."""
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    page = made.new_page()
    page.goto(f"{server.site}/#t={server.token}")  # not the code: it is good for one
    page.wait_for_selector("header.top")
    page.close()
    return made


def session(server: Serving) -> str:
    about = server.get("/api/sessions?limit=1")["items"][0]["session"]
    return f"/s/{quote(about['projectId'], safe='')}/{about['id']}"


def test_every_page_and_every_view_of_a_session_say_that_they_are_made_up(server: Serving) -> None:
    views = [f"{session(server)}?view={view}" for view in VIEWS]
    headers = {"authorization": f"Bearer {server.token}", "accept": "text/html"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
        pages = [*PAGES, *views, "/projects", "/nowhere"]
        silent = [address for address in pages if NOTE not in client.get(address).text]

    assert silent == []


@pytest.mark.parametrize("address", ["/", "a session", "/nowhere"])
def test_they_do_so_in_a_line_that_is_read_aloud_and_fits(
    context: BrowserContext, server: Serving, address: str
) -> None:
    watched = Watched(context.new_page(), server.site)
    watched.page.goto(server.site + (session(server) if address == "a session" else address))
    watched.page.wait_for_selector("html[data-ready]")

    assert watched.page.get_by_role("status").filter(has_text=NOTE).count() == 1
    assert [one for one in watched.said if "404" not in one or address != "/nowhere"] == []
    watched.page.set_viewport_size({"width": 390, "height": 844})
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 390
    watched.page.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_the_line_keeps_nobody_out(
    browser: Browser,
    context: BrowserContext,
    server: Serving,
    theme: Literal["light", "dark"],
    width: int,
) -> None:
    let_in = context.storage_state()
    seen = browser.new_context(
        bypass_csp=True,
        color_scheme=theme,
        viewport={"width": width, "height": 900},
        storage_state=let_in,
    )
    page = seen.new_page()
    page.goto(f"{server.site}/spend")
    page.wait_for_selector("html[data-ready]")

    assert axe.violations(page) == ""
    seen.close()


def test_the_tour_opens_without_a_script_and_each_link_leads_somewhere(
    browser: Browser, context: BrowserContext, server: Serving
) -> None:
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(f"{server.site}/spend")
    links = page.locator(".tour a")
    expect(links.first).to_be_hidden()
    page.locator(".tour summary").click()
    expect(links.first).to_be_visible()
    addresses = [str(link.get_attribute("href")) for link in links.all()]

    assert len(addresses) == 5
    for address in addresses:
        answer = page.goto(server.site + address)
        assert answer is not None
        assert answer.status == 200
    plain.close()


def test_the_board_shows_sessions(context: BrowserContext, server: Serving) -> None:
    page = context.new_page()
    page.goto(server.site)

    expect(page.locator("main a[href^='/s/']").first).to_be_visible()
    page.close()


def test_open_pages_turn_to_the_first_real_session_by_themselves(
    browser: Browser, tmp_path: Path
) -> None:
    with serving(None, browser=None, **around(tmp_path)) as server:
        context = entered(browser, server)
        pages = {address: context.new_page() for address in ("/", "/sessions", "/spend")}
        for address, page in pages.items():
            page.goto(server.site + address)
            expect(page.locator("#demo")).to_have_text(NOTE)
        assert until(lambda: server.get("/api/sessions")["items"])
        lost = context.new_page()
        lost.goto(server.site + session(server))
        before = context.cookies()
        root(tmp_path / ".claude", talk("a-real-one"))

        for address, page in pages.items():
            page.bring_to_front()
            expect(page.locator("#demo")).to_have_count(0)
            assert page.url == server.site + address
        link = pages["/sessions"].locator("main a[href$='/a-real-one']")
        expect(link.first).to_be_visible()
        lost.bring_to_front()
        expect(lost.locator("#demo")).to_have_count(0)
        expect(lost).to_have_url(f"{server.site}/")
        assert context.cookies() == before
        context.close()
