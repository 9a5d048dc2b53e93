"""A tour by keyboard alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene

FOCUSED = "document.activeElement.closest('.step, article, .you')?.id ?? ''"


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    Growing(root, "one").turns(0, 6)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    made = stage.open("/s/-home-dev-kettle/one", waits="text=answer 5").page
    yield made
    made.close()


def presses(page: Page, *keys: str) -> list[str]:
    """What has the focus after each key."""
    found = []
    for key in keys:
        page.keyboard.press(key)
        found.append(page.evaluate(FOCUSED))
    return found


def test_j_goes_down_the_rows_and_k_up_again(page: Page) -> None:
    down = presses(page, "j", "j", "j")
    up = presses(page, "k", "k")

    assert len(set(down)) == 3
    assert up == down[1::-1]


def test_brackets_go_from_passage_to_passage(page: Page) -> None:
    first, second, back = presses(page, "]", "]", "[")

    assert first != second
    assert back == first


def test_enter_opens_the_row_that_has_the_focus(page: Page) -> None:
    while not page.evaluate("document.activeElement.matches('summary')"):
        page.keyboard.press("j")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.parentElement.open")


def test_a_question_mark_shows_the_keys_and_escape_closes_them(page: Page) -> None:
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(sheet).to_contain_text("next row")
    expect(sheet).to_contain_text("next or previous error")  # of the spool, which this page has
    expect(sheet).not_to_contain_text("next waiting session")  # of the board, which it has not
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()


PAGES = {"s": "/sessions", "m": "/spend", "t": "/tools", "h": "/health", "b": "/"}


def test_g_and_a_letter_go_to_every_page(page: Page, stage: Scene) -> None:
    for key, place in PAGES.items():
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(stage.server.site + place)
        page.wait_for_selector("html[data-ready]")

    assert page.url == stage.server.site + "/"


def test_the_palette_goes_to_a_session_by_its_id(stage: Scene) -> None:
    page = stage.open("/spend").page
    page.keyboard.press("Control+k")
    page.keyboard.insert_text("one")
    expect(page.get_by_role("group", name="Sessions").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")

    page.wait_for_url("**/s/-home-dev-kettle/one")
