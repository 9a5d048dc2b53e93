"""Without any script every page can be read, filtered and left again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.waiting import until

PAGES = ["/", "/sessions", "/projects", "/search?q=alpha", "/files", "/spend", "/tools", "/health"]


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = root(tmp_path_factory.mktemp("claude"), talk(), talk("session-two", day=2))
    home = tmp_path_factory.mktemp("unspool")
    with serving(place, "--port", "0", UNSPOOL_HOME=str(home)) as made:
        assert until(lambda: len(made.get("/api/sessions")["items"]) == 2)
        yield made


@pytest.fixture
def plain(browser: Browser, server: Serving) -> Iterator[BrowserContext]:
    """A browser that runs nothing; its owner has the token all the same."""
    headers = {"authorization": f"Bearer {server.token}"}
    context = browser.new_context(java_script_enabled=False, extra_http_headers=headers)
    yield context
    context.close()


def opened(plain: BrowserContext, server: Serving, path: str) -> Page:
    page = plain.new_page()
    answer = page.goto(server.url + path)
    assert answer
    assert answer.ok
    return page


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_something_and_leads_to_the_others(
    plain: BrowserContext, server: Serving, path: str
) -> None:
    page = opened(plain, server, path)

    assert page.inner_text("h1")
    page.click("header nav a:text('Sessions')")
    expect(page.locator("h1")).to_have_text("Sessions")


def test_a_list_is_filtered_by_its_form(plain: BrowserContext, server: Serving) -> None:
    page = opened(plain, server, "/sessions")
    page.fill("main input[name=q]", "session-two")
    page.click("main button:text('Apply')")

    expect(page).to_have_url(re.compile("q=session-two"))
    expect(page.locator("tr[id]")).to_have_count(1)


def test_a_list_is_sorted_by_its_columns(plain: BrowserContext, server: Serving) -> None:
    page = opened(plain, server, "/sessions")
    page.click("th a:text('Cost')")

    expect(page.locator("th[aria-sort=descending]")).to_have_text("Cost")


def test_a_session_is_opened_from_the_list(plain: BrowserContext, server: Serving) -> None:
    page = opened(plain, server, "/sessions")
    page.click("tr[id] .c-title a >> nth=0")

    page.wait_for_url("**/s/**")
    expect(page.locator("main")).to_contain_text("alpha prompt of session-two")


def test_a_hit_opens_at_its_step(plain: BrowserContext, server: Serving) -> None:
    page = opened(plain, server, "/search?q=alpha+result")
    page.click("a.hit >> nth=0")

    expect(page).to_have_url(re.compile(r"\?at="))
    expect(page.locator("main")).to_contain_text("alpha")


def test_the_theme_is_changed_by_a_link(plain: BrowserContext, server: Serving) -> None:
    page = opened(plain, server, "/spend?range=7")
    page.click("a[aria-label='Switch to dark theme']")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page).to_have_url(f"{server.url}/spend?range=7")


def test_the_data_of_a_chart_is_a_table(plain: BrowserContext, server: Serving) -> None:
    page = opened(plain, server, "/spend?range=all")
    page.click("figure summary >> nth=0")

    assert page.is_visible("figure table >> nth=0")


def test_buttons_that_only_a_script_can_serve_are_not_there(
    plain: BrowserContext, server: Serving
) -> None:
    page = opened(plain, server, "/sessions")

    assert not page.is_visible("[data-mark] >> nth=0")
    assert not page.is_visible("[data-copy] >> nth=0")


def test_what_is_not_there_is_a_page_too(plain: BrowserContext, server: Serving) -> None:
    page = plain.new_page()
    page.goto(f"{server.url}/nowhere")

    assert page.inner_text("h1") == "Not found"


def test_the_board_says_of_when_it_is_and_is_loaded_again_by_a_link(
    plain: BrowserContext, server: Serving
) -> None:
    page = opened(plain, server, "/")

    assert re.search(r"As of \d\d:\d\d:\d\d", page.inner_text("main"))
    page.click("main a:text('Reload')")
    expect(page.locator("h1")).not_to_be_empty()
    expect(page).to_have_url(f"{server.url}/")


def test_the_command_that_resumes_a_session_can_be_read(
    plain: BrowserContext, server: Serving
) -> None:
    page = opened(plain, server, "/")

    assert page.is_visible("text=claude --resume session-two")
