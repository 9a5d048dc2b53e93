"""The palette in a browser: the first row is selected, and Enter opens what is selected."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, TypeAlias

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from tests.browser.axe import source, violations
from tests.browser.scene import Growing, Scene, scene

Theme: TypeAlias = Literal["light", "dark"]


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Two sessions, one of which edited a file."""
    root = tmp_path_factory.mktemp("root")
    first = Growing(root, "first")
    first.made.user("Make the rate limiter per tenant")
    edit = {"file_path": "/home/dev/kettle/src/limits/limiter.py"}
    first.made.calls("Edit", **edit, old_string="a = 1", new_string="a = 2").returns("done")
    first.made.says("Done.").user("Also the web socket path").says("That too.")
    first.write()
    second = Growing(root, "second")
    second.made.user("Flaky upload test").says("Fixed.")
    second.write()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/search?q=flaky", waits=".hit").page.close()
        yield made


@pytest.fixture
def page(site: Scene) -> Iterator[Page]:
    made = site.open("/tools").page
    yield made
    made.close()


def selected(page: Page) -> str:
    """The row that Enter opens, as the field names it."""
    id = page.get_by_role("combobox", name="Search or jump").get_attribute("aria-activedescendant")
    chosen = page.locator("#palette [aria-selected=true]")
    expect(chosen).to_have_count(1)
    assert chosen.get_attribute("id") == id
    return chosen.locator(".clip").first.inner_text()


@pytest.mark.parametrize("keys", ["Control+k", "Meta+k", "/"])
def test_each_key_opens_it_and_escape_closes_it(page: Page, keys: str) -> None:
    page.keyboard.press(keys)
    expect(page.get_by_role("combobox", name="Search or jump")).to_be_focused()
    page.keyboard.press("Escape")

    expect(page.locator("#palette")).not_to_have_attribute("open", "")


def test_the_name_of_a_page_and_enter_open_it(page: Page, site: Scene) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("spend")
    assert selected(page) == "Spend"
    page.keyboard.press("Enter")

    page.wait_for_url(f"{site.server.site}/spend")


def test_the_first_row_is_selected_from_the_first_letter(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("h")

    assert selected(page) == "Health"


def test_a_session_is_found_by_its_title_with_its_project_and_status(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("flaky")
    row = page.get_by_role("option", name="Flaky upload test").first
    expect(row).to_contain_text("kettle, ")
    expect(row.locator("mark")).to_have_text("Flaky")
    assert selected(page) == "Flaky upload test"
    page.keyboard.press("Enter")

    page.wait_for_url("**/s/-home-dev-kettle/second")


def test_what_is_typed_fast_is_still_the_name_of_something(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.insert_text("flaky")
    page.keyboard.press("Enter")

    page.wait_for_url("**/s/-home-dev-kettle/second")


def test_what_was_found_for_other_words_goes_as_soon_as_it_does_not_fit(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.insert_text("kettle/src")  # found by its folders, which its row does not show
    file = page.get_by_role("group", name="Files").get_by_role("option")
    expect(file).to_have_count(1)
    page.route("**/api/*", lambda _: None)  # nothing is answered from now on
    page.keyboard.insert_text("/elsewhere")

    assert file.count() == 0


def test_a_turn_is_found_by_its_prompt_and_opens_there(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("web sock")
    page.get_by_role("option", name="Also the web socket path turn 2").click()

    page.wait_for_url("**/s/-home-dev-kettle/first?at=*#*")


def test_arrows_choose_and_the_last_row_searches_the_text(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.insert_text("limiter")
    # The session and its first turn come in one answer.
    expect(page.get_by_role("option", name="Make the rate limiter")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#palette-1")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert selected(page) == "Search all sessions for “limiter”"
    page.keyboard.press("Enter")

    page.wait_for_url("**/search?q=limiter")


def test_commands_run(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    late: list[Route] = []
    # A method of a list itself would not do: Playwright wants a function written in Python.
    page.route("**/api/search?*", lambda route: late.append(route))  # noqa: PLW0108
    page.keyboard.press("/")
    with page.expect_request("**/api/search?*"):
        page.keyboard.type("resume")
    assert selected(page) == "Copy the resume command"
    page.keyboard.press("Enter")
    expect(page.locator(".pal-said")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("claude --resume ")
    for route in late:  # what was typed is answered only now
        with suppress(Error):
            route.continue_()
    expect(page.locator("#palette")).not_to_have_attribute("open", "")
    expect(page.locator(".pal-said")).to_have_text("Copied")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or jump").fill("switch light")
    page.keyboard.press("Enter")

    page.wait_for_selector("html[data-theme]")


def test_without_a_script_it_is_a_link_to_the_search_page(browser: Browser, site: Scene) -> None:
    context = browser.new_context(
        java_script_enabled=False, storage_state=site.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{site.server.site}/tools")
    page.get_by_role("link", name="Search or jump").click()
    page.get_by_role("searchbox").fill("flaky")
    page.get_by_role("button", name="Search").click()

    expect(page).to_have_url(re.compile(r"/search\?q=flaky"))
    expect(page.locator(".hit").first).to_contain_text("Flaky")
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_with_the_palette_open(
    browser: Browser, site: Scene, theme: Theme
) -> None:
    source()
    context = browser.new_context(
        bypass_csp=True, color_scheme=theme, storage_state=site.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{site.server.site}/search?q=flaky")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("Control+k")
    page.keyboard.type("limiter")
    expect(page.get_by_role("option", name="Make the rate limiter").first).to_be_visible()

    assert violations(page) == ""
    context.close()
