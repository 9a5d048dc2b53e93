"""Keys and edges of the spool: waits, errors, turns, a range, and what scrolls by itself."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.bench import stop_clock
from tests.browser.scene import Growing, Scene, scene
from tests.browser.spools import columns, drag
from tests.waiting import until
from unspool.demo.lines import stamp

ADDRESS = "/s/-home-dev-kettle/keys"
WIDE = "wide " * 80
SIZE: Any = {"width": 1280, "height": 800}
DATA = "() => fetch(document.getElementById('over').dataset.src).then((answer) => answer.json())"
PLACED = "(one) => ['--x', '--w'].map((name) => Number(one.style.getPropertyValue(name)))"
# The numbers of the steps of which all is on the screen, below the small spool.
ON_SCREEN = """(ids) => [...document.querySelectorAll("#passages [id^='step-']")]
  .filter((one) => {
    const { top, bottom, height } = one.getBoundingClientRect();
    return height && top > 150 && bottom < innerHeight;
  }).map((one) => ids.indexOf(one.id)).filter((number) => number >= 0)"""
SCROLLED = "(one) => one.scrollLeft"


def written(root: Path) -> None:
    """A wait for approval and two failures among ten turns; a wide output and a wide diff."""
    grows = Growing(root, "keys").turns(0, 3)
    talk, log = grows.made, root / "hooks" / "-home-dev-kettle" / "keys.hooks.jsonl"
    asked = {"tool_name": "Bash", "tool_input": {"command": "make install"}}
    talk.user("install it").calls("Bash", command="make install", id="toolu_wait").wait(7)
    begun, ended = (talk.clock.next - timedelta(seconds=ago) for ago in (7.5, 0.5))
    log.parent.mkdir(parents=True)
    log.write_text(
        hook("PermissionRequest", begun, **asked)
        + hook("PostToolUse", ended, tool_use_id="toolu_wait", **asked)
    )
    talk.returns("installed").says("It is there")
    talk.user("look").calls("Bash", command="cat wide").returns(WIDE).says("It is wide")
    edit = {"file_path": "/home/dev/kettle/lid.py", "old_string": "1", "new_string": WIDE}
    talk.calls("Edit", edit).returns("ok").says("It is two")
    for name in ("first", "second"):
        talk.user(f"the {name}").calls("Bash", command=f"make {name}").wait(4)
        talk.returns("Error: exit code 2", failed=True).says(f"The {name} broke")
    grows.turns(3, 8)


def hook(event: str, at: datetime, **more: Any) -> str:
    """A line of the log that lies beside a session."""
    told = {"hook_event_name": event, "session_id": "keys", **more}
    return json.dumps({"timestamp": stamp(at), **told}) + "\n"


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    written(root)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    watched = stage.open(f"{ADDRESS}?level=everything", waits="text=answer 7, at last")
    watched.page.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")
    yield watched.page
    assert (watched.said, watched.left) == ([], [])
    watched.page.close()


def reads(page: Page) -> int:
    return int(page.get_attribute("#over", "aria-valuenow") or 0)


def later(page: Page, milliseconds: int) -> bool:
    """Let the clock of a page run on."""
    page.clock.run_for(milliseconds)
    return True


def stands_at(page: Page, number: int) -> None:
    expect(page.locator("#over")).to_have_attribute("aria-valuenow", str(number))


def number_of(page: Page, words: str) -> int:
    """The number of the step that shows these words."""
    steps = page.evaluate(DATA)["id"]
    id = page.locator("#passages [id^='step-']", has_text=words).last.get_attribute("id")
    return int(steps.index(id)) + 1


def test_w_goes_to_the_call_that_waited_and_says_when_there_is_no_other(page: Page) -> None:
    page.keyboard.press("w")
    expect(page.locator("[data-target]")).to_contain_text("make install")
    stands_at(page, number_of(page, "make install"))

    page.keyboard.press("w")
    expect(page.locator("#say")).to_have_text("No later wait")


def test_shift_e_goes_back_to_the_failure_before(page: Page) -> None:
    target = page.locator("[data-target]")
    for key, command in (("e", "make first"), ("e", "make second"), ("E", "make first")):
        page.keyboard.press(key)
        expect(target).to_contain_text(command)

    page.keyboard.press("E")
    expect(page.locator("#say")).to_have_text("No earlier error")


def test_shift_left_goes_back_to_the_prompt_before(page: Page) -> None:
    target = page.locator("[data-target]")
    for key, words in (("Right", "prompt 1"), ("Right", "prompt 2"), ("Left", "prompt 1")):
        page.keyboard.press(f"Shift+Arrow{key}")
        expect(target).to_contain_text(words)

    page.keyboard.press("Shift+ArrowLeft")
    expect(target).to_contain_text("prompt 0")


@pytest.mark.parametrize("first", [4, 5, 6])  # a prompt, its call, its answer
def test_arrows_stay_inside_a_range(stage: Scene, first: int) -> None:
    last = first + 2
    whole = stage.open(ADDRESS, waits="#over").page
    ids = [columns(whole)["id"][number - 1].partition("-")[2] for number in (first, last)]
    whole.close()
    ranged = stage.open(f"{ADDRESS}?from={ids[0]}&to={ids[1]}", waits="#range p").page
    ranged.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")
    for _ in range(4):
        ranged.keyboard.press("ArrowRight")
    expect(ranged.locator("#say")).to_have_text("No later step")
    stands_at(ranged, last)
    for _ in range(3):
        ranged.keyboard.press("ArrowLeft")
    expect(ranged.locator("#say")).to_have_text("No earlier step")
    stands_at(ranged, first)
    ranged.close()


@pytest.mark.parametrize("inside", ["pre:has-text('wide wide')", ".diff"])
def test_arrows_scroll_what_is_wide_and_go_nowhere(page: Page, inside: str) -> None:
    box = page.locator(f"#passages {inside}").first
    box.scroll_into_view_if_needed()
    box.focus()
    page.keyboard.press("ArrowRight")

    page.wait_for_function(f"(one) => ({SCROLLED})(one) > 0", arg=box.element_handle())
    assert "#" not in page.url
    assert page.locator("[data-target]").count() == 0


def test_a_drag_takes_the_whole_of_the_steps_it_touches(page: Page) -> None:
    data = page.evaluate(DATA)
    first, last = (number_of(page, f"make {name}") for name in ("first", "second"))
    spans = [(data["x"][at - 1], data["end"][at - 1]) for at in (first, last)]
    assert all(end > begin for begin, end in spans)
    drag(page, *(sum(span) / 20_000 for span in spans))

    expect(page.locator("#range")).to_have_attribute("data-first", str(first))
    expect(page.locator("#range")).to_have_attribute("data-last", str(last))
    x, width = spans[0][0], spans[1][1] - spans[0][0]
    page.wait_for_function(
        f"(want) => JSON.stringify(({PLACED})(document.querySelector('#over .brush'))) === want",
        arg=json.dumps([x, width], separators=(",", ":")),
    )


def test_the_grey_window_covers_what_is_on_the_screen(page: Page) -> None:
    data = page.evaluate(DATA)
    sight = page.locator("#over .sight")
    before = sight.evaluate(PLACED)
    page.mouse.move(600, 700)
    page.mouse.wheel(0, 1_500)
    page.wait_for_function(
        f"([one, x]) => ({PLACED})(one)[0] > x", arg=[sight.element_handle(), before[0]]
    )

    numbers = page.evaluate(ON_SCREEN, data["id"])
    x, width = sight.evaluate(PLACED)
    assert numbers
    assert x <= min(data["x"][at] for at in numbers)
    assert x + width >= max(data["end"][at] for at in numbers)
    assert x > data["end"][0]
    assert x + width < data["x"][-1]


def test_after_a_jump_the_playhead_waits_before_it_follows_the_reader(
    stage: Scene, browser: Browser
) -> None:
    state = stage.context.storage_state()  # a clock that stands still does so in all of a context
    with browser.new_context(storage_state=state, viewport=SIZE) as context:
        page = context.new_page()
        page.goto(stage.server.site + ADDRESS)
        page.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")
        number, sight = number_of(page, "make first"), page.locator("#over .sight")
        stop_clock(page)
        page.keyboard.press("e")
        expect(page.locator("[data-target]")).to_contain_text("make first")
        page.clock.run_for(100)
        stands_at(page, number)
        before = sight.evaluate(PLACED)
        page.evaluate("scrollBy(0, 600)")
        assert until(lambda: later(page, 1) and sight.evaluate(PLACED) != before)
        stands_at(page, number)  # the page has looked where the reader is

        page.clock.run_for(700)
        page.evaluate("scrollBy(0, 10)")
        assert until(lambda: later(page, 20) and reads(page) != number)
