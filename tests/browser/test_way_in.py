"""How a real browser gets in and out again, and what another server on this machine hears of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import axe
from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving


class Listening(ThreadingHTTPServer):
    """Another user's server: it answers everybody, and keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.heard: list[tuple[str, str]] = []


class Answering(BaseHTTPRequestHandler):
    server: Listening

    def do_GET(self) -> None:
        self.server.heard.append((self.path, self.headers.get("cookie", "")))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>x</title><img src=/picture>")

    def log_message(self, format: str, *_: object) -> None:
        pass


@contextmanager
def another_server() -> Iterator[Listening]:
    """One on another port of localhost, for as long as the block lasts."""
    with Listening() as made:
        thread = Thread(target=made.serve_forever)
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return root(tmp_path_factory.mktemp("claude"), talk())


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Serving]:
    with serving(place) as made:
        yield made


@pytest.fixture
def code(server: Serving) -> str:
    """One that has not been used."""
    return server.invite()


@pytest.fixture
def address(server: Serving, code: str) -> str:
    return f"{server.site}/enter#t={code}"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context() as made:
        yield made


@pytest.fixture
def plain(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that runs no scripts."""
    with browser.new_context(java_script_enabled=False) as made:
        yield made


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    return page


def signed_in(context: BrowserContext, address: str) -> Page:
    """A page that opened an address and was let in."""
    page = opened(context, address)
    page.wait_for_selector("header.top")
    return page


def visited(context: BrowserContext, other: Listening) -> set[str]:
    """The cookies that another server hears of when it is visited by every name it has."""
    for name in ("localhost", "127.0.0.1", "u-0123456789abcdef.localhost"):
        opened(context, f"http://{name}:{other.server_port}/").wait_for_load_state("networkidle")
    assert len([path for path, _ in other.heard if path == "/picture"]) == 3
    return {cookie for _, cookie in other.heard}


@pytest.mark.parametrize("name", ["", "localhost"])
def test_the_printed_address_leads_to_the_board_and_no_console_says_anything(
    context: BrowserContext, server: Serving, address: str, name: str
) -> None:
    """Under `localhost` too, where the browser that unspool opens begins."""
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    site = urlsplit(server.site)
    page.goto(address.replace(site.hostname or "", name) if name else address)
    page.wait_for_selector("header.top")

    assert page.url == f"{server.site}/"
    assert said == []


def test_a_server_on_another_port_of_this_machine_gets_no_cookie(
    address: str, context: BrowserContext
) -> None:
    signed_in(context, address)
    with another_server() as other:
        assert len(context.cookies()) == 1
        assert visited(context, other) == {""}


def test_under_plain_localhost_it_does_get_it(place: Path, context: BrowserContext) -> None:
    """The proof that the test above can fail, and why there is a name at all."""
    with serving(place, "--port", "0", "--plain-localhost") as server, another_server() as other:
        assert server.said.startswith(server.url)
        signed_in(context, server.said.strip())

        assert any(cookie.startswith("unspool-") for cookie in visited(context, other))


def test_who_knew_the_name_would_get_it(
    server: Serving, address: str, context: BrowserContext
) -> None:
    """Why no answer of ours tells the name to who has no code: it is led there and asks itself."""
    signed_in(context, address)
    name = server.site.rpartition(":")[0]
    with another_server() as other:
        page = opened(context, f"http://localhost:{other.server_port}/")
        page.goto(f"{name}:{other.server_port}/")
        page.wait_for_load_state("networkidle")

        assert [cookie for path, cookie in other.heard if path == "/picture"][-1]


def test_the_printed_address_opens_under_the_name_and_no_code_stays_in_it(
    place: Path, context: BrowserContext
) -> None:
    with serving(place) as server:
        page = signed_in(context, server.said.strip())

        assert re.fullmatch(r"http://u-[0-9a-f]{16}\.localhost:\d+/", page.url)
        assert page.url == f"{server.site}/"


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_who_comes_by_localhost_is_led_to_the_name_and_later_without_a_code(
    server: Serving, code: str, context: BrowserContext, name: str
) -> None:
    url = server.url.replace("localhost", name)
    page = signed_in(context, f"{url}/spend?range=7#t={code}")
    assert page.url == f"{server.site}/spend?range=7"

    again = signed_in(context, f"{url}/sessions?q=a#latest")
    assert again.url == f"{server.site}/sessions?q=a#latest"
    assert {cookie["domain"] for cookie in context.cookies()} == {
        server.site.split("/")[2].split(":")[0]
    }


def test_who_was_never_let_in_is_not_led_to_the_name(
    server: Serving, context: BrowserContext
) -> None:
    page = opened(context, server.url)

    expect(page.locator("form label")).to_have_text("Code")
    assert server.site.split("//")[1].partition(".")[0] not in page.content()
    assert page.url == f"{server.url}/"


def test_a_code_of_another_browser_says_that_it_was_used_and_what_to_do(
    address: str, context: BrowserContext, browser: Browser
) -> None:
    signed_in(context, address)
    with browser.new_context() as other:
        page = opened(other, address)

        expect(page.locator("#enter")).to_have_text(
            "This code has already been used, and each works only once: "
            "unspool serve status prints an address with a new one."
        )
        assert "#" not in page.url
        assert other.cookies() == []


def test_without_scripts_a_form_takes_the_code(
    server: Serving, code: str, plain: BrowserContext
) -> None:
    page = opened(plain, f"{server.site}/spend?range=7")
    page.fill("#code", "wrong")
    page.click("button:text('Sign in')")
    expect(page.locator("#enter")).to_contain_text("This code is wrong")

    page.fill("#code", code)
    page.click("button:text('Sign in')")
    expect(page.locator("h1")).to_contain_text("Spent, ")
    assert page.url == f"{server.site}/spend?range=7"


def test_without_scripts_localhost_says_where_to_go(
    server: Serving, code: str, plain: BrowserContext
) -> None:
    page = opened(plain, server.url)
    page.fill("#code", code)
    page.click("button:text('Sign in')")
    another = page.inner_text("main code")
    page.click("main a")
    page.fill("#code", another)
    page.click("button:text('Sign in')")

    expect(page.locator("header.top")).to_be_visible()
    assert page.url == f"{server.site}/"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_button_on_every_page_signs_out_for_good(
    server: Serving, code: str, browser: Browser, scripts: bool
) -> None:
    with browser.new_context(java_script_enabled=scripts) as context:
        page = opened(context, server.site)
        page.fill("#code", code)
        page.click("button:text('Sign in')")
        page.wait_for_selector("header.top")
        had = context.cookies()
        page.click("header button[aria-label='Sign out']")
        expect(page.locator("#enter")).to_contain_text("You are signed out")
        assert context.cookies() == []

        context.add_cookies([{**one} for one in had])  # type: ignore[typeddict-item]
        assert opened(context, server.site).locator("header.top").count() == 0


def test_a_page_that_is_still_open_is_told_that_it_was_signed_out(
    server: Serving, address: str, context: BrowserContext
) -> None:
    page, other = signed_in(context, address), context.new_page()
    other.goto(server.site)
    other.wait_for_selector("html[data-ready]")
    page.click("header button[aria-label='Sign out']")

    expect(other.locator("live-feed")).to_contain_text("Signed out")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_before_one_is_let_in_keeps_nobody_out(
    server: Serving, browser: Browser, theme: Literal["light", "dark"]
) -> None:
    axe.source()
    with browser.new_context(
        bypass_csp=True, color_scheme=theme, viewport={"width": 390, "height": 844}
    ) as context:
        page = opened(context, f"{server.site}/#t=wrong")
        expect(page.locator("#enter")).to_contain_text("This code is wrong")

        assert axe.violations(page) == ""
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
