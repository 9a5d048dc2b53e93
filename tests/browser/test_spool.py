"""The spool of a session as an instrument: every gesture, and the page without a script."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.scene import Growing, Scene, scene
from tests.browser.spools import at, columns, drag
from tests.waiting import until

ADDRESS = "/s/-home-dev-kettle/one"
LONG = "/s/-home-dev-kettle/long"


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    growing = Growing(root, "one").turns(0, 8)
    growing.made.user("break it").calls("Bash", command="make test")
    growing.made.returns("Error: exit code 2", failed=True).says("It broke")
    growing.made.user("mend it").calls(
        "Edit", {"file_path": "/home/dev/kettle/src/lid.py", "old_string": "a", "new_string": "b"}
    )
    growing.made.returns("ok").says("It holds")
    growing.write()
    Growing(root, "long").turns(0, 28)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    watched = stage.open(ADDRESS, waits="text=It holds")
    watched.page.wait_for_selector("#over[aria-valuenow]")
    yield watched.page
    assert watched.said == []
    watched.page.close()


def test_the_crosshair_tells_step_time_and_cost(page: Page) -> None:
    page.mouse.move(*at(page, 0.5))

    tip = page.locator("#over .tip")
    expect(tip).to_contain_text(re.compile(r"step \d+\d\d:\d\d:\d\d"))
    expect(page.locator("#over .hair")).to_be_visible()
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_a_click_goes_to_the_step_under_it(page: Page) -> None:
    page.mouse.click(*at(page, 0.999))

    expect(page.locator("[data-target]")).to_contain_text("It holds")
    expect(page).to_have_url(re.compile("#step-"))


def test_a_range_filters_column_outline_cost_and_address_and_escape_clears_it(page: Page) -> None:
    turns = page.locator("#outline li").count()
    cost = page.locator("#instruments h2", has_text="Cost").inner_text()

    drag(page, 0.3, 0.6)
    expect(page.locator("#range")).to_contain_text(re.compile(r"\d+ steps · "))
    expect(page.locator("#passages")).not_to_contain_text("It holds")
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")
    expect(page.locator("#instruments")).to_contain_text(re.compile(r"\S+ → \S+ in these steps"))
    expect(page.locator("#instruments .s-brush")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?from=[^&]+&to=[^&]+$"))
    assert 0 < page.locator("#outline li").count() < turns
    expect(page.locator("#over .brush")).to_be_visible()

    page.keyboard.press("Escape")
    expect(page.locator("#passages")).to_contain_text("It holds")
    expect(page.locator("#over .brush")).to_be_hidden()
    expect(page.locator("#instruments .s-brush")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("from="))
    assert page.locator("#instruments h2", has_text="Cost").inner_text() == cost


def test_a_range_stays_while_the_session_goes_on(stage: Scene) -> None:
    growing = Growing(stage.root, "two").turns(0, 8)
    page = stage.open(growing.address, waits="text=answer 7, at last").page
    page.wait_for_selector("#over[aria-valuenow]")
    drag(page, 0.3, 0.6)
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")
    kept = [page.inner_text(f"#{id}") for id in ("outline", "instruments", "passages")]
    growing.turns(8, 9)
    expect(page.locator("main")).to_contain_text("9 turns")

    assert [page.inner_text(f"#{id}") for id in ("outline", "instruments", "passages")] == kept
    expect(page.locator("#range p")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#passages")).to_contain_text("answer 8, at last")
    page.close()


@pytest.fixture
def long(stage: Scene) -> Iterator[Page]:
    """A session whose range of all steps is more than a screen."""
    watched = stage.open(LONG, waits="text=answer 27, at last")
    watched.page.wait_for_selector("#over[aria-valuenow]")
    yield watched.page
    assert watched.said == []
    watched.page.close()


def held(page: Page) -> list[Route]:
    """The requests for all of a range, from now on: they wait until the test lets them go."""
    waiting: list[Route] = []

    def wait(route: Route) -> None:
        waiting.append(route)

    page.route(re.compile(r"/part/range/.*to=[^&]+$"), wait)
    return waiting


def came(page: Page, waiting: list[Route], count: int = 1) -> bool:
    """Whether so many of them wait, sooner or later."""

    def has_come() -> bool:
        page.wait_for_timeout(20)  # events come meanwhile
        return len(waiting) >= count

    return until(has_come)


def test_a_long_range_shows_its_first_screen_and_then_the_rest(stage: Scene, long: Page) -> None:
    waiting = held(long)
    drag(long, 0.0, 1.0)

    expect(long.locator("#later")).to_contain_text(re.compile(r"\d+ more steps in this range"))
    expect(long.locator("#passages")).to_contain_text("prompt 0")
    assert "prompt 27" not in long.inner_text("#passages")
    assert came(long, waiting)
    waiting.pop().continue_()
    expect(long.locator("#later")).to_contain_text("End of the range")
    expect(long.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")

    assert long.locator(".newer:visible").count() == 0
    plain = stage.open(long.url.removeprefix(stage.server.site), waits="#range p").page
    for id in ("outline", "passages", "later", "instruments"):
        assert long.inner_text(f"#{id}") == plain.inner_text(f"#{id}")
    plain.close()


def test_the_rest_of_a_range_does_not_come_over_another_one(long: Page) -> None:
    waiting = held(long)
    drag(long, 0.0, 0.9)
    assert came(long, waiting)
    drag(long, 0.95, 1.0)
    expect(long.locator("#passages")).to_contain_text("prompt 27")
    assert came(long, waiting, 2)

    waiting[1].continue_()
    expect(long.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")
    late = waiting[0].request.url
    with long.expect_response(late):
        waiting[0].continue_()
    long.unroute_all()
    long.evaluate("(url) => fetch(url).then((one) => one.text())", late)
    long.evaluate("() => new Promise(requestAnimationFrame)")

    assert "prompt 0" not in long.inner_text("#passages")


def test_a_range_that_is_chosen_further_down_shows_its_beginning(long: Page) -> None:
    long.mouse.move(600, 700)
    long.mouse.wheel(0, 4_000)
    expect(long.locator("#deck.small")).to_be_visible()
    drag(long, 0.3, 0.9)

    expect(long.locator("#passages article").first).to_be_in_viewport()
    expect(long.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")


def test_a_range_does_not_fetch_the_steps_again(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    drag(page, 0.3, 0.6)
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")
    expect(page.locator("#over .brush")).to_be_visible()

    assert [url for url in asked if "/part/range/" in url]
    assert not [url for url in asked if "/part/steps/" in url]


def test_a_range_can_be_shared_by_its_address(stage: Scene, page: Page) -> None:
    drag(page, 0.0, 0.2)
    page.wait_for_url(re.compile(r"from="))
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")
    address = page.url.removeprefix(stage.server.site)

    other = stage.open(address, waits="#range p").page

    assert other.inner_text("#range") == page.inner_text("#range")
    assert other.locator("#passages article").count() == page.locator("#passages article").count()
    expect(other.locator("#over .brush")).to_be_visible()
    other.close()


def test_a_range_without_a_script_is_drawn_by_the_server(stage: Scene, page: Page) -> None:
    bare = stage.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    bare.add_cookies(stage.context.cookies())  # type: ignore[arg-type]
    plain = bare.new_page()
    steps = columns(page)["id"]
    first, last = (place.partition("-")[2] for place in (steps[0], steps[3]))
    plain.goto(f"{stage.server.site}{ADDRESS}?from={first}&to={last}")

    expect(plain.locator("#range")).to_contain_text("4 steps")
    expect(plain.locator("#passages")).to_contain_text("prompt 0")
    assert "prompt 3" not in (plain.text_content("#passages") or "")
    plain.click("#range a")
    expect(plain.locator("#passages")).to_contain_text("It holds")
    bare.close()


def test_arrows_walk_the_steps_and_with_shift_the_turns(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", "2")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", "3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", "2")
    page.keyboard.press("Shift+ArrowRight")

    expect(page.locator("[data-target]")).to_contain_text("prompt 1")


def test_e_goes_to_the_failure_and_says_when_there_is_no_other(page: Page) -> None:
    page.keyboard.press("e")
    expect(page.locator("[data-target]")).to_contain_text("make test")

    page.keyboard.press("e")
    expect(page.locator("#say")).to_have_text("No later error")


def test_the_playhead_follows_the_reader_and_the_deck_stays_in_sight(page: Page) -> None:
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", "1")

    page.mouse.move(600, 700)
    page.mouse.wheel(0, 1_200)
    expect(page.locator("#over")).not_to_have_attribute("aria-valuenow", "1")

    expect(page.locator("#deck.small")).to_have_count(1)
    box = page.locator("#deck").bounding_box()
    assert box is not None
    assert (box["y"], box["height"] < 100) == (0, True)


def test_a_cost_leads_down_to_its_step(page: Page) -> None:
    page.locator(".cturn summary").last.click()
    page.locator(".cturn[open] .csteps a").last.click()

    expect(page.locator("[data-target]")).to_be_in_viewport()


def test_a_file_leads_to_the_step_of_its_edit(page: Page) -> None:
    page.locator(".files summary", has_text="lid.py").click()
    page.locator(".fedit > summary").first.click()
    page.locator(".fedit [data-loaded] a", has_text="Link to this step").click()

    expect(page.locator("[data-target]")).to_contain_text("lid.py")


def test_the_spool_is_a_slider_that_says_its_step(page: Page) -> None:
    over = page.locator("#over")

    expect(over).to_have_attribute("role", "slider")
    expect(over).to_have_attribute(
        "aria-valuetext", re.compile(r"^Step 1 of \d+, turn 1, Prompt, ")
    )
