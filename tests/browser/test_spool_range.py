"""A range of steps: its chip moves nothing, its address is shared, clearing it keeps the place."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene
from tests.browser.spools import at, columns, current, drag

SHORT, LONG = "/s/-home-dev-kettle/short", "/s/-home-dev-kettle/long"
PLACES = """() => ["views", "levels", "read", "outline", "instruments"].map((id) => {
  const { x, y } = document.getElementById(id).getBoundingClientRect();
  return [id, x, y];
})"""
WATCH = """() => {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries())
      for (const { node } of one.sources) window.moved.push(node?.id || node?.className || "");
  }).observe({ type: "layout-shift" });
}"""
FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"""
# What the deck covers, and where the reader's step stands.
STANDS = """(id) => [document.getElementById("deck"), document.getElementById(id)]
  .map((one) => one?.getBoundingClientRect()).map((box) => box && [box.top, box.bottom])"""


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    Growing(root, "short").turns(0, 16)
    growing = Growing(root, "long").turns(0, 90)
    growing.made.user("break it").calls("Bash", command="make test")
    growing.made.returns("Exit code 2\nE   assert 1 == 2", failed=True).says("It broke")
    growing.write()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


def opened(stage: Scene, address: str) -> Page:
    page = stage.open(address, waits="#passages article").page
    page.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")
    return page


def narrowed(page: Page, start: float, end: float) -> None:
    """Choose a range, and wait until all of it is there."""
    drag(page, start, end)
    expect(page.locator("#range p")).to_be_visible()
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")


def reads(page: Page, text: str) -> str:
    """Scroll until a step with some words is being read; its element."""
    step = page.locator("#passages .step", has_text=text).last
    id = str(step.get_attribute("id"))
    step.evaluate("one => scrollBy(0, one.getBoundingClientRect().top - 130)")
    expect(page.locator("#deck.small")).to_be_attached()
    page.wait_for_function(
        "id => document.getElementById(id).getBoundingClientRect().top < 151", arg=id
    )
    number = str(columns(page)["id"].index(id) + 1)
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", number)
    return id


def stands_below_the_deck(page: Page, id: str) -> bool:
    """Whether the step is the first thing to be read, once heights are no guesses any more."""
    page.evaluate(FRAMES)
    page.evaluate(FRAMES)
    deck, step = page.evaluate(STANDS, id)
    return bool(deck[1] <= step[0] + 1 and step[0] < 200)


@pytest.mark.parametrize("way", ["key", "cross"])
@pytest.mark.parametrize(
    ("address", "text"), [(SHORT, "answer 9,"), (LONG, "answer 62,")], ids=["all", "a window"]
)
def test_clearing_a_range_keeps_the_step_that_is_read(
    stage: Scene, address: str, text: str, way: str
) -> None:
    page = opened(stage, address)
    narrowed(page, 0.5, 0.9)
    id = reads(page, text)
    if way == "key":
        page.keyboard.press("Escape")
    else:
        page.locator("#range a").click()
    expect(page.locator("#range p")).to_have_count(0)

    expect(page.locator(f"[id='{id}']")).to_be_in_viewport()
    assert stands_below_the_deck(page, id)
    assert current(page) == id
    around, said = ("#earlier", "earlier entries") if address == LONG else ("#passages", "prompt 0")
    expect(page.locator(around)).to_contain_text(said)
    assert "from=" not in page.url
    page.close()


def test_a_step_that_the_beginning_has_is_shown_with_the_beginning(stage: Scene) -> None:
    page = opened(stage, LONG)
    narrowed(page, 0.02, 0.1)
    id = reads(page, "answer 4,")
    page.keyboard.press("Escape")
    expect(page.locator("#range p")).to_have_count(0)

    expect(page.locator("#passages")).to_contain_text("prompt 0")
    assert stands_below_the_deck(page, id)
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_the_chip_comes_and_goes(stage: Scene, width: int) -> None:
    page = opened(stage, SHORT)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(FRAMES)
    before = page.evaluate(PLACES)
    page.evaluate(WATCH)
    narrowed(page, 0.0, 0.6)
    page.evaluate(FRAMES)

    # The rest of the column is another: what stands above it is not.
    assert page.evaluate(PLACES) == before
    assert not {"views", "levels", "deck", "reel", "tri", "read"} & set(page.evaluate("moved"))
    chip, views = (page.locator(one).bounding_box() for one in ("#range p", "#views"))
    assert chip is not None
    assert views is not None
    assert chip["y"] + chip["height"] <= views["y"]
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_chip_is_in_the_deck_while_that_is_stuck(stage: Scene, width: int) -> None:
    page = opened(stage, SHORT)
    page.set_viewport_size({"width": width, "height": 800})
    narrowed(page, 0.0, 0.9)
    for y in (30, 2_000):
        page.evaluate("y => scrollTo(0, y + document.getElementById('reel').offsetTop)", y)
        expect(page.locator(f"#deck.{'stuck' if y < 66 else 'small'}")).to_be_attached()
        page.evaluate(FRAMES)
        chip, deck, views = (
            page.locator(one).bounding_box() for one in ("#range p", "#deck", "#views")
        )
        link = page.locator("#range a")

        assert chip and deck and views  # noqa: PT018 - all are drawn
        assert chip["y"] >= 0
        # The deck keeps that much room in the page while it is stuck.
        assert chip["y"] + chip["height"] <= max(views["y"], deck["y"] + deck["height"])
        assert link.evaluate(
            """one => { const { x, y, width, height } = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(x + width / 2, y + height / 2)); }"""
        )
    page.close()


def test_who_chooses_a_range_follows_the_end_no_longer(stage: Scene) -> None:
    page = opened(stage, SHORT)
    page.keyboard.press("End")
    expect(page.locator("#read[data-following]")).to_be_attached()
    narrowed(page, 0.2, 0.6)

    expect(page.locator("#read[data-following]")).to_have_count(0)
    expect(page.locator("#passages article").first).to_be_in_viewport()
    page.close()


def test_the_focus_goes_from_the_cross_to_the_spool(stage: Scene) -> None:
    page = opened(stage, SHORT)
    narrowed(page, 0.2, 0.6)
    page.locator("#range a").focus()
    page.keyboard.press("Enter")

    expect(page.locator("#over")).to_be_focused()
    expect(page.locator("#say")).to_have_text("Showing the whole session")
    page.close()


@pytest.mark.parametrize(
    "asked", ["from=nobody&to=nothing", "from={first}&to=nobody", "from={first}"]
)
def test_of_steps_that_nobody_knows_all_are_shown(stage: Scene, asked: str) -> None:
    page = opened(stage, SHORT)
    first = columns(page)["id"][4].partition("-")[2]
    page.goto(f"{stage.server.site}{SHORT}?{asked.format(first=first)}")

    expect(page.locator("#passages")).to_contain_text("prompt 0")
    expect(page.locator("#passages")).to_contain_text("answer 15, at last")
    expect(page.locator("#range p")).to_have_count(0)
    page.close()


def test_a_prompt_outside_of_the_range_is_its_dimmed_heading(stage: Scene) -> None:
    page = opened(stage, SHORT)
    ids = columns(page)["id"]
    prompts = [n for n, id in enumerate(ids) if id.startswith("chunk-")]
    begin, end = prompts[2] + 1, prompts[3] + 1
    names = [ids[n].partition("-")[2] for n in (begin, end)]
    page.goto(f"{stage.server.site}{SHORT}?from={names[0]}&to={names[1]}")
    page.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")

    expect(page.locator("article.ghost")).to_have_count(1)
    expect(page.locator("article.ghost")).to_contain_text("prompt 2")
    expect(page.locator("article.ghost")).to_contain_text("before the range")
    colours = [
        page.locator(f"{one} .you .prose").first.evaluate("one => getComputedStyle(one).color")
        for one in ("article.ghost", "article:not(.ghost)")
    ]
    assert colours[0] != colours[1]
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", str(begin + 1))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", str(begin + 2))
    page.close()


def test_the_crosshair_tells_what_a_command_exited_with(stage: Scene) -> None:
    page = opened(stage, LONG)
    found = columns(page)
    (failed,) = found["failed"]
    middle = (found["x"][failed] + found["end"][failed]) / 20_000
    page.mouse.move(*at(page, middle))

    expect(page.locator("#over .tip .bad")).to_have_text("exit 2")
    page.close()


def test_the_level_and_a_range_go_together_without_a_script(stage: Scene, browser: Browser) -> None:
    page = opened(stage, SHORT)
    ends = [id.partition("-")[2] for id in columns(page)["id"][3:6]]
    page.close()
    bare = browser.new_context(java_script_enabled=False)
    bare.add_cookies(stage.context.cookies())  # type: ignore[arg-type]
    plain = bare.new_page()
    plain.goto(f"{stage.server.site}{SHORT}?from={ends[0]}&to={ends[2]}")
    chip = plain.locator("#range").inner_text()
    plain.click("#levels a:text('Story')")

    expect(plain.locator("#read")).to_have_attribute("data-level", "story")
    expect(plain).to_have_url(re.compile("from=.*to="))
    assert plain.locator("#range").inner_text() == chip
    bare.close()
