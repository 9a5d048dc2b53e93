"""The board on an open page: rows change and never move, and what waits is told."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.board import SESSIONS, WATCH, BusySession, busy_sessions, playing
from tests.browser import axe
from tests.browser.scene import Scene, scene

PAUSE = 0.05
ROWS = "[...document.querySelectorAll('#slots > .slot')].map((row) => row.id.slice(-2))"
HIDE = """(session) => fetch(`/api/sessions/${session}`, {
  method: "PATCH", headers: { "content-type": "application/json" },
  body: JSON.stringify({ hidden: true }) })"""
SHOW = HIDE.replace("true", "false")
SIZES = {1440: 900, 390: 844}
STATES = ("wait", "work", "turn", "limit", "fail")
# A page is looked at five times a second.
ALL_SEEN = "([states, looks]) => seen.looks >= looks && states.every((one) => seen.states[one])"
DONE = """() => [...document.querySelectorAll("#passages article")]
  .filter((one) => one.textContent.includes("Part by part it is done.")).length > 1"""


class Busy:
    """A server, and sessions that do what a test wants."""

    def __init__(self, made: Scene, sessions: list[BusySession]) -> None:
        self.scene, self.sessions = made, sessions

    def open(self, width: int = 1440, address: str = "/", waits: str = "#slots > .slot") -> Page:
        """A page that is watched, in a window of that width."""
        page = self.scene.open(address, waits=waits).page
        page.set_viewport_size({"width": width, "height": SIZES[width]})
        page.evaluate(WATCH)
        return page


@pytest.fixture(scope="module")
def busy(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Busy]:
    root = tmp_path_factory.mktemp("claude")
    home = tmp_path_factory.mktemp("home")
    with busy_sessions(root) as sessions, scene(browser, root, home) as made:
        made.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield Busy(made, sessions)


@pytest.fixture
def page(busy: Busy) -> Iterator[Page]:
    """A board on which all work."""
    for one in busy.sessions:
        one.works()
    made = busy.open()
    expect(made.locator("#slots > .is-work")).to_have_count(SESSIONS)
    yield made
    made.close()


def settled(page: Page, state: str, count: int) -> None:
    expect(page.locator(f"#slots > .is-{state}")).to_have_count(count)


def seen(page: Page) -> dict[str, Any]:
    return page.evaluate("window.seen")  # type: ignore[no-any-return]


def moved(page: Page) -> list[str]:
    return [row for row, places in seen(page)["places"].items() if len(places) > 1]


@pytest.mark.parametrize("looks", [30, pytest.param(150, marks=pytest.mark.slow)])
def test_no_row_moves_while_ten_sessions_go_through_every_state(busy: Busy, looks: int) -> None:
    pages = [busy.open(width) for width in SIZES]
    before = [page.evaluate(ROWS) for page in pages]
    with playing(busy.sessions, PAUSE):
        for page in pages:
            page.wait_for_function(ALL_SEEN, arg=[STATES, looks])

    for page, rows in zip(pages, before, strict=True):
        found = seen(page)
        assert found["shift"] < 0.05, found["sources"]
        assert moved(page) == []
        assert page.evaluate(ROWS) == rows
        page.close()


def test_a_row_is_changed_and_not_built_again(busy: Busy, page: Page) -> None:
    page.evaluate("document.querySelectorAll('#slots > .slot').forEach((row) => { row.mine = 1 })")
    busy.sessions[2].asks()
    settled(page, "wait", 1)

    kept = "[...document.querySelectorAll('#slots > .slot')].every((row) => row.mine)"
    assert page.evaluate(kept)


def test_what_waits_is_counted_in_the_line_and_in_the_title(busy: Busy, page: Page) -> None:
    expect(page).to_have_title("Board · unspool")
    expect(page.locator("#pin")).not_to_have_class("pin is-on")
    busy.sessions[3].asks()
    busy.sessions[5].asks()
    settled(page, "wait", 2)

    expect(page.locator("#pin h1")).to_have_text("2 waiting for you")
    expect(page).to_have_title("(2) Board · unspool")
    expect(page.locator("#pin .pins a")).to_have_count(2)
    busy.sessions[3].goes_on()
    busy.sessions[5].goes_on()
    settled(page, "wait", 0)
    expect(page).to_have_title("Board · unspool")


@pytest.mark.parametrize("width", [1440, 1000, 390])
def test_the_counts_of_all_states_are_legible(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    # At once: the next news of a session would write them again.
    text, *room = page.locator("#pin .rest").evaluate("""(one) => {
      one.textContent = one.textContent.replace(/\\d+/g, "20");
      const { clientWidth, clientHeight, scrollWidth, scrollHeight } = one;
      return [one.innerText, clientWidth - scrollWidth, clientHeight - scrollHeight];
    }""")

    assert text == "20 working, 20 your turn, 20 stopped, 20 done"
    assert min(room) >= 0, room


def test_a_wait_is_said_once(busy: Busy, page: Page) -> None:
    page.evaluate("""() => {
      window.said = [];
      const note = () => window.said.push(document.getElementById("say").textContent);
      new MutationObserver(note).observe(document.getElementById("say"), { childList: true });
    }""")
    busy.sessions[3].asks()
    page.wait_for_function("() => window.said.length")
    busy.sessions[4].stops()
    settled(page, "turn", 1)
    page.wait_for_timeout(600)  # longer than a sentence is held back

    said = page.evaluate("window.said")
    assert len(said) == 1
    assert said[0].startswith("1 waiting for you: step ")


def test_a_row_that_waits_says_what_and_where_and_copies_all_of_it(busy: Busy, page: Page) -> None:
    busy.sessions[1].questions()
    row = page.locator("#slots > .is-wait")
    settled(page, "wait", 1)

    expect(row.locator(".tool")).to_have_text("Question")
    expect(row.locator(".what")).to_contain_text("Keep the old files of part")
    expect(row.locator(".answer")).to_contain_text("pid ")
    row.locator(".cp").click()
    expect(row.locator(".cp[data-copied=yes]")).to_be_visible()
    expect(page.locator("#say")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == row.locator(".what").text_content()
    assert moved(page) == []


def test_keys_walk_the_rows_copy_and_open(busy: Busy, page: Page) -> None:
    at = "document.activeElement.closest('.slot')?.id.slice(-2) ?? ''"
    for one in (4, 7):
        busy.sessions[one].asks()
    settled(page, "wait", 2)
    walked = []
    for key in ("w", "w", "w", "j", "k"):
        page.keyboard.press(key)
        walked.append(page.evaluate(at))

    assert walked == ["04", "07", "04", "05", "04"]
    page.keyboard.press("c")
    expect(page.locator("#say")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("make part-")
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/-home-dev-project-4/busy-04")


def test_a_link_in_the_line_leads_to_its_row(busy: Busy, page: Page) -> None:
    busy.sessions[8].asks()
    settled(page, "wait", 1)
    page.click("#pin .pins a")

    assert page.evaluate("document.activeElement.closest('.slot').id").endswith("busy-08")
    assert page.url.endswith("/")


def test_nobody_is_kept_out_of_a_board_on_which_sessions_wait(
    busy: Busy, browser: Browser, page: Page
) -> None:
    axe.source()
    for one, do in zip(busy.sessions, ("asks", "questions", "stops", "fails"), strict=False):
        getattr(one, do)()
    settled(page, "wait", 2)
    settled(page, "fail", 1)
    state = busy.scene.context.storage_state()
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        for width, height in {**SIZES, 1920: 1080}.items():
            with browser.new_context(
                bypass_csp=True,
                color_scheme=theme,
                viewport={"width": width, "height": height},
                storage_state=state,
            ) as context:
                looked = context.new_page()
                looked.goto(busy.scene.server.site)
                looked.wait_for_selector("html[data-ready]")

                assert axe.violations(looked) == "", (theme, width)


def test_on_a_wide_screen_a_lane_stands_beside_its_row(busy: Busy, page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_selector("#lanes > li")
    tops = """() => [...document.querySelectorAll("#slots > .slot")].map((row) => [
      row.getBoundingClientRect().top,
      document.getElementById(`lane-${row.id}`).getBoundingClientRect().top,
      row.getBoundingClientRect().height,
    ])"""

    assert all(row == lane and height == 64 for row, lane, height in page.evaluate(tops))


@pytest.mark.parametrize(("width", "height"), [(1440, 64), (390, 128)])
def test_every_row_has_the_same_height(busy: Busy, page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": SIZES[width]})
    heights = "[...document.querySelectorAll('#slots > .slot')].map((row) => row.offsetHeight)"

    assert set(page.evaluate(heights)) == {height}
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_state_of_a_session_does_not_move_its_text(busy: Busy, page: Page) -> None:
    reading = busy.open(1440, "/s/-home-dev-project-6/busy-06", waits="#passages article")
    top = "document.querySelector('#views').getBoundingClientRect().top"
    before = reading.evaluate(top)
    busy.sessions[6].asks()
    expect(reading.locator("a.askline")).to_be_visible()

    assert reading.evaluate(top) == before
    busy.sessions[6].goes_on()
    expect(reading.locator("a.askline")).to_have_count(0)
    assert reading.evaluate(top) == before
    assert seen(reading)["shift"] < 0.05, seen(reading)["sources"]
    reading.close()


def test_a_session_that_is_followed_does_not_jump(busy: Busy, page: Page) -> None:
    followed = busy.open(1440, "/s/-home-dev-project-5/busy-05", waits="#passages article")
    followed.keyboard.press("f")
    followed.wait_for_selector("#read[data-following]")
    with playing([busy.sessions[5]], 0.2):
        followed.wait_for_function(DONE)

    assert seen(followed)["shift"] < 0.05, seen(followed)["sources"]
    followed.close()


@pytest.mark.parametrize("width", list(SIZES))
def test_the_search_box_is_at_the_same_place_on_every_page(busy: Busy, width: int) -> None:
    page = busy.open(width)
    found = {}
    for address in ("/", "/sessions", "/projects", "/search", "/spend", "/tools", "/health"):
        page.goto(busy.scene.server.site + address)
        # Nor do the figures beside it move it.
        page.evaluate(
            "(n) => { document.querySelector('#pulse b').append('9'.repeat(n)) }", len(address)
        )
        box = page.locator(".jump").bounding_box()
        assert box
        found[address] = box["x"], box["width"]

    assert len(set(found.values())) == 1, found
    page.close()


def test_a_session_that_begins_is_added_below(busy: Busy, page: Page) -> None:
    before = page.evaluate(ROWS)
    with busy_sessions(busy.scene.root, 1, first=40):
        expect(page.locator("#slots > .slot")).to_have_count(len(before) + 1)

        assert page.evaluate(ROWS) == [*before, "40"]
        assert moved(page) == []
        expect(page.locator("#lanes > li").last).to_have_attribute(
            "id", "lane-s--home-dev-project-40-busy-40"
        )


def test_who_is_done_keeps_its_row_until_it_is_tidied(busy: Busy, page: Page) -> None:
    before = page.evaluate(ROWS)
    busy.sessions[0].ends()
    expect(page.locator("#slots > .is-ended[id$='busy-00'] .word")).to_have_text("Done")

    assert page.evaluate(ROWS) == before
    assert moved(page) == []
    page.click("[data-tidy]")
    rest = [row for row in before if row not in ("00", "40")]
    expect(page.locator("#say")).to_have_text("Done sessions moved down")
    assert page.evaluate(ROWS)[: len(rest)] == rest
    busy.sessions[2].asks()
    settled(page, "wait", 1)
    assert page.evaluate(ROWS)[: len(rest)] == rest  # the next news moves nothing back


def test_what_is_hidden_has_no_row(busy: Busy, page: Page) -> None:
    gone = page.locator("#slots > .slot[id$='busy-09']")
    expect(gone).to_have_count(1)
    busy.sessions[9].stops()
    page.evaluate(HIDE, "busy-09")

    expect(gone).to_have_count(0)
    page.evaluate(SHOW, "busy-09")


def test_after_a_lost_connection_rows_that_are_gone_go(busy: Busy, page: Page) -> None:
    """Nobody told this page meanwhile that its session was hidden."""
    gone = page.locator("#slots > .slot[id$='busy-08']")
    expect(gone).to_have_count(1)
    busy.sessions[8].stops()
    settled(page, "turn", 1)
    page.context.set_offline(True)
    page.evaluate("document.querySelector('live-feed').channel.close()")
    other = busy.scene.context.browser.new_context(  # type: ignore[union-attr]
        storage_state=busy.scene.context.storage_state()
    )
    hide = other.new_page()
    hide.goto(busy.scene.server.site + "/health")
    hide.evaluate(HIDE, "busy-08")
    other.close()
    page.context.set_offline(False)

    expect(gone).to_have_count(0)
