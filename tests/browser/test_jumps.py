"""Links beside the conversation: what is on the page is gone to without loading it again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene
from tests.browser.spools import drag

ADDRESS = "/s/-home-dev-kettle/jumps"


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    grows = Growing(root, "jumps")
    for number in range(12):
        grows.made.user(f"question {number}").calls("Bash", command=f"make {number}")
        grows.made.returns("no", failed=True).says(f"answer {number}")
    grows.write()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    watched = stage.open(ADDRESS, waits="#outline a")
    watched.page.evaluate("window.isSame = true")
    yield watched.page
    assert watched.page.evaluate("window.isSame")
    assert watched.said == []
    watched.page.close()


def test_the_outline_leads_to_a_turn_and_marks_it(page: Page) -> None:
    page.locator("#outline a", has_text="question 9").click()

    page.wait_for_url(re.compile("#turn-10$"))
    target = page.locator("[data-target]")
    expect(target).to_contain_text("question 9")
    expect(target).to_be_in_viewport()
    deck = page.locator(".deck").bounding_box()
    box = target.bounding_box()
    assert deck
    assert box
    assert box["y"] >= deck["y"] + deck["height"] - 1  # it is not under the deck


def test_a_failure_in_the_outline_and_a_cost_lead_to_their_steps(page: Page) -> None:
    page.locator("#outline a", has_text="make").nth(4).click()
    expect(page.locator("[data-target]")).to_contain_text("make 4")
    page.locator("details.cturn").nth(1).locator("> summary").click()
    step = page.locator("details.cturn").nth(1).locator(".csteps a").first
    step.click()

    page.wait_for_url(re.compile(f"#{(step.get_attribute('href') or '').partition('#')[2]}$"))
    expect(page.locator("[data-target]")).to_be_in_viewport()


def test_a_range_stays_where_its_outline_leads(page: Page) -> None:
    drag(page, 0.3, 0.7)
    expect(page.locator("#outline a", has_text="question 0")).to_have_count(0)
    before = page.inner_text("#range")
    page.locator("#outline a", has_text="make").nth(1).click()

    expect(page.locator("[data-target]")).to_be_in_viewport()
    assert page.inner_text("#range") == before
