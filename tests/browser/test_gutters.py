"""Beside every block: when, copy and a link; also beside what is folded or in another step."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Scene, scene
from tests.show.everything import AGENT, everything

ADDRESS = "/s/-home-dev-shop/everything"
CLOCK = re.compile(r"^\d\d:\d\d:\d\d$")
SPEECH = "#read .step.noise:has(> details > summary .what:text('Output: On branch'))"
NOTES = "#read .step.noise:has(> details > summary .what:text('Machine: '))"


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    everything(root)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        origin = made.server.site
        made.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    watched = stage.open(ADDRESS, waits="#passages article")
    yield watched.page
    assert watched.said == []
    watched.page.close()


@pytest.mark.parametrize(
    ("block", "copied"),
    [
        (SPEECH, "On branch feat/limits"),
        (NOTES, "Build done"),
        (".compacted", "We made the limiter per tenant."),
    ],
)
def test_what_is_folded_has_its_clock_its_copy_and_its_link(
    page: Page, block: str, copied: str
) -> None:
    one = page.locator(block).first
    gutter = one.locator("> .gut")
    one.scroll_into_view_if_needed()
    expect(gutter.locator("time")).to_be_hidden()
    one.hover()

    expect(gutter.locator("time")).to_be_visible()
    expect(gutter.locator("time")).to_have_text(CLOCK)
    gutter.locator("button").click()
    expect(gutter.locator("button")).to_have_attribute("data-copied", "yes")
    assert copied in page.evaluate("navigator.clipboard.readText()")
    gutter.locator("a").click()
    expect(page.locator("[data-target]")).to_have_count(1)
    assert page.locator(block).first.evaluate(
        "one => { const at = document.querySelector('[data-target]');"
        " return at.contains(one) || one.contains(at); }"
    )


def test_what_stands_beside_a_step_is_hidden_until_it_is_looked_at(page: Page) -> None:
    row = page.locator("#read .step:has(> .gut [data-copy]):visible").first
    row.scroll_into_view_if_needed()
    page.mouse.move(5, 5)

    expect(page.locator("#read .gut :is(time, button, a):visible")).to_have_count(0)
    row.hover()
    expect(row.locator("> .gut button")).to_be_visible()


def test_the_link_of_a_folded_note_opens_it(stage: Scene, page: Page) -> None:
    href = page.locator(f"{NOTES} > .gut a").first.get_attribute("href")
    page.goto(f"{stage.server.site}{href}")
    page.wait_for_selector("html[data-ready]")

    expect(page.locator("[data-target]")).to_be_in_viewport()
    expect(page.locator("[data-target]")).to_contain_text("Build done")


def test_a_step_inside_a_step_has_its_clock_beside_the_column(page: Page) -> None:
    agent = page.locator(f"[id='step-{AGENT}']")
    agent.locator("summary").first.click()
    inner = agent.locator(".steps > .step", has_text="Grep").last
    outer = page.locator("#read .steps > .step:not(.step .step)").first
    lefts = []
    for step in (outer, inner):
        step.hover(position={"x": 60, "y": 8})
        time = step.locator("> .gut time")
        expect(time).to_be_visible()
        lefts.append(time.evaluate("one => Math.round(one.getBoundingClientRect().left)"))
        assert time.evaluate(
            "one => one.getBoundingClientRect().right"
            " <= document.querySelector('#passages .steps').getBoundingClientRect().left + 8"
        )

    assert lefts[0] == lefts[1]
