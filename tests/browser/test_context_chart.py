"""The chart of the context: hover reads a column, a click and Enter go to its step."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.scene import Growing, Scene, scene

ADDRESS = "/s/-home-dev-kettle/fills"
READ = (10_000, 20_000, 40_000, 80_000)  # tokens that each answer was made from
TOLD = ("Turn 1: 10.0k tokens. ", "Turn 1: 20.0k tokens. ", "Turn 2: 40.0k tokens. ")


def used(tokens: int) -> dict[str, int]:
    return {"input_tokens": 0, "output_tokens": 40, "cache_read_input_tokens": tokens}


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    grows = Growing(root, "fills")
    talk, usage = grows.made, [used(tokens) for tokens in READ]
    talk.user("fill it").calls("Bash", {"command": "fill kettle"}, usage=usage[0]).returns("full")
    talk.says("It is full", usage=usage[1])
    talk.user("boil it").calls("Bash", {"command": "boil"}, usage=usage[2]).returns("hot " * 40)
    talk.says("It is hot", usage=usage[3])
    grows.write()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    watched = stage.open(ADDRESS, waits="#instruments a.col")
    yield watched.page
    assert (watched.said, watched.left) == ([], [])
    watched.page.close()


def column(page: Page, number: int) -> Locator:
    return page.locator("figure a.col").nth(number)


def middle(page: Page, number: int) -> tuple[float, float]:
    box = column(page, number).locator("rect").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_hover_reads_a_column(page: Page) -> None:
    readout = page.locator("figure .readout")
    for number, words in enumerate(TOLD):
        page.mouse.move(*middle(page, number))
        expect(readout).to_contain_text(words)
    expect(readout).to_contain_text("System and tools 10.0k")

    page.mouse.move(5, 5)
    expect(readout).to_have_text("")


@pytest.mark.parametrize(("number", "words"), [(0, "fill kettle"), (1, "It is full"), (2, "boil")])
def test_a_click_goes_to_the_step_of_a_column(page: Page, number: int, words: str) -> None:
    page.mouse.click(*middle(page, number))

    expect(page.locator("[data-target]")).to_contain_text(words)
    expect(page).to_have_url(re.compile("#step-"))


def test_keys_walk_the_columns_and_enter_goes_to_the_step(page: Page) -> None:
    assert page.locator("figure a.col[tabindex='0']").count() == 1
    page.locator("figure a.col[tabindex='0']").focus()
    expect(column(page, len(READ) - 1)).to_be_focused()
    before = page.get_attribute("#over", "aria-valuenow")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")

    expect(column(page, 1)).to_be_focused()
    expect(page.locator("figure .readout")).to_contain_text(TOLD[1])
    assert page.locator("figure a.col[tabindex='0']").count() == 1
    assert page.get_attribute("#over", "aria-valuenow") == before
    page.keyboard.press("Enter")
    expect(page.locator("[data-target]")).to_contain_text("It is full")


def test_a_column_is_named_by_what_it_tells(page: Page) -> None:
    expect(page.get_by_role("link", name=TOLD[0])).to_have_count(1)


def test_the_table_below_it_has_the_same_figures(page: Page) -> None:
    figure = page.locator("figure:has(a.col)")
    figure.get_by_text("Show as table").click()

    assert figure.locator("thead th").all_inner_texts()[:3] == ["Turn", "Total", "System and tools"]
    rows = [row.locator("td").all_inner_texts() for row in figure.locator("tbody tr").all()]
    assert [f"Turn {row[0]}: {row[1]} tokens. " for row in rows[:3]] == list(TOLD)


def test_in_the_view_of_the_context_a_click_leads_to_the_conversation(stage: Scene) -> None:
    watched = stage.open(f"{ADDRESS}?view=context", waits="main figure.fig >> nth=1")
    page = watched.page
    large = page.locator("figure:has(svg.chart-l)")
    box = large.locator("a.col rect").nth(1).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile(r"view=turns#step-"))

    expect(page.locator("#read [data-target]")).to_contain_text("It is full")
    page.close()


@pytest.mark.parametrize("view", ["tools", "raw", "waterfall"])
def test_beside_other_views_a_column_leads_to_the_conversation(stage: Scene, view: str) -> None:
    watched = stage.open(f"{ADDRESS}?view={view}", waits="a.col")
    page = watched.page
    page.locator("a.col").nth(1).evaluate("(one) => one.dispatchEvent(new MouseEvent('click'))")
    page.wait_for_url(re.compile(r"view=turns#step-"))

    expect(page.locator("#read [data-target]")).to_contain_text("It is full")
    page.close()
