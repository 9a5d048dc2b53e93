"""Every component in a real browser: as wide as its window, quiet under the server's own CSP."""

from collections.abc import Iterator
from mimetypes import guess_type

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from unspool.serve.auth.middleware import CSP
from unspool.serve.auth.sign_in import SCRIPT
from unspool.show.html import render
from unspool.show.html.assets import FILES, VERSION
from unspool.show.html.links import LiveLinks
from unspool.show.html.patterns_page import patterns_page
from unspool.show.html.shell import Shell

ORIGIN = "http://unspool.test"


def answer(route: Route) -> None:
    """The page and its files with the headers that the server gives them."""
    path = route.request.url.removeprefix(ORIGIN).partition("#")[0]
    csp = {"content-security-policy": CSP.decode()}
    if path.startswith("/static/"):
        name = path.removeprefix("/static/").removeprefix(f"{VERSION}/")
        kind = guess_type(name)[0]
        route.fulfill(body=FILES.get(name, SCRIPT), content_type=kind, headers=csp)
    else:
        theme = path.removeprefix("/")
        made = render.render(patterns_page(Shell(title="Patterns", theme=theme)), LiveLinks())
        route.fulfill(body=made, content_type="text/html", headers=csp)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page()
    made.route("**/*", answer)
    yield made
    made.close()


@pytest.mark.parametrize("width", [320, 390, 800, 1100, 1440])
def test_no_component_is_wider_than_the_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{ORIGIN}/light")

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_on_the_page_is_refused_by_the_csp(page: Page) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{ORIGIN}/dark")
    page.wait_for_selector("html[data-ready]")

    assert said == []


def test_a_chosen_theme_changes_the_paper(page: Page) -> None:
    papers = []
    for theme in ("light", "dark"):
        page.goto(f"{ORIGIN}/{theme}")
        papers.append(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))

    assert papers == ["rgb(251, 250, 247)", "rgb(20, 21, 23)"]


def test_a_slash_opens_the_palette_and_escape_closes_it(page: Page) -> None:
    page.goto(f"{ORIGIN}/light")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("/")
    page.wait_for_selector("#palette[open] input:focus")
    page.keyboard.press("Escape")

    expect(page.locator("#palette[open]")).to_have_count(0)


def test_every_control_shows_where_the_keyboard_is(page: Page) -> None:
    page.goto(f"{ORIGIN}/light")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")

    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_steps_fold_without_a_script(browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        plain = context.new_page()
        plain.route("**/*", answer)
        plain.goto(f"{ORIGIN}/light")
        plain.click("#step-p-ok summary")

        assert plain.is_visible("#step-p-ok pre")
