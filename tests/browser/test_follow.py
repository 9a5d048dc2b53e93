"""The end of a session that grows: followed until the reader goes up, and never too much of it."""

from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.board import WATCH
from tests.browser.scene import Growing, Scene, scene

FOLLOWED = "#read[data-following]"
BELOW = """() => {
  const page = document.scrollingElement;
  return page.scrollHeight - page.clientHeight - page.scrollTop;
}"""

TOP = "document.scrollingElement.scrollTop"
SEEN = """() => [...document.querySelectorAll("#passages article")]
  .map((one) => [one.id, Math.round(one.getBoundingClientRect().top)])
  .filter(([, top]) => top > 0 && top < innerHeight)"""


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    (root / "projects").mkdir()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def grows(stage: Scene, request: pytest.FixtureRequest) -> Growing:
    return Growing(stage.root, f"f-{request.node.name[5:40]}").turns(0, 12)


@pytest.fixture
def page(stage: Scene, grows: Growing) -> Iterator[Page]:
    """A reader who has gone down to the end."""
    made = stage.open(grows.address, waits="text=answer 11").page
    made.keyboard.press("End")
    expect(made.locator(FOLLOWED)).to_be_attached()
    yield made
    made.close()


def reaches_the_end(page: Page) -> bool:
    """Whether it does so soon: what the page does about its height comes a frame later."""
    deadline = monotonic() + 60
    while page.evaluate(BELOW) > 1 and monotonic() < deadline:
        page.wait_for_timeout(20)
    return bool(page.evaluate(BELOW) <= 1)


def test_whoever_is_at_the_end_stays_there(page: Page, grows: Growing) -> None:
    for n in range(12, 18):
        grows.turns(n, n + 1)
        page.wait_for_timeout(50)

    expect(page.get_by_text("answer 17, at last")).to_be_in_viewport()
    assert reaches_the_end(page)


def test_a_reader_who_goes_up_is_left_where_they_are(page: Page, grows: Growing) -> None:
    end = page.evaluate(TOP)
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -600)
    expect(page.locator(FOLLOWED)).not_to_be_attached()
    page.wait_for_function(f"(end) => {TOP} <= end - 599", arg=end)  # it moves for a while
    before = page.evaluate(SEEN)
    grows.turns(12, 15)

    expect(page.get_by_text("answer 14, at last")).to_be_attached()
    expect(page.locator(".newer")).to_contain_text("new")
    assert page.evaluate(SEEN) == before


def test_nothing_moves_under_a_reader_while_lines_are_appended(page: Page, grows: Growing) -> None:
    end = page.evaluate(TOP)
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -600)
    page.wait_for_function(f"(end) => {TOP} <= end - 599", arg=end)
    page.evaluate(WATCH)
    for n in range(12, 18):
        grows.turns(n, n + 1)
        expect(page.get_by_text(f"answer {n}, at last")).to_be_attached()

    seen = page.evaluate("window.seen")
    assert seen["shift"] < 0.05, seen["sources"]


def test_keys_that_go_up_end_it_too(page: Page) -> None:
    page.keyboard.press("PageUp")

    expect(page.locator(FOLLOWED)).not_to_be_attached()


def test_the_button_leads_to_what_is_new_and_follows_it(page: Page, grows: Growing) -> None:
    page.keyboard.press("Home")
    expect(page.locator(FOLLOWED)).not_to_be_attached()
    grows.turns(12, 13)
    page.click(".newer")
    grows.turns(13, 14)

    expect(page.get_by_text("answer 13, at last")).to_be_in_viewport()
    expect(page.locator(".newer")).to_be_hidden()


def test_a_page_that_grows_or_shrinks_by_itself_is_still_followed(page: Page) -> None:
    for height in ("900px", "100px", "2000px"):
        page.evaluate("to => { document.querySelector('#read').style.paddingTop = to; }", height)
        assert reaches_the_end(page), height

    assert page.locator(FOLLOWED).count() == 1


def test_who_follows_for_long_holds_only_the_newest(page: Page, grows: Growing) -> None:
    for first in range(12, 252, 60):
        grows.turns(first, first + 60)
        expect(page.get_by_text(f"answer {first + 59}, at last")).to_be_attached()

    assert page.locator(".step").count() <= 500
    assert page.locator("#earlier a").count() == 1
