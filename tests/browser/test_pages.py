"""Every page of a made-up root and of real sessions: quiet, at home, and as wide as its window."""

import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from time import sleep
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.bench import stop_clock
from tests.browser.scene import Scene, scene
from tests.waiting import until
from unspool.demo import Transcript, generate
from unspool.source.prices import bundled

PAGES = [
    "/",
    "/sessions",
    "/projects",
    "/search?q=error",
    "/search",
    "/files",
    "/spend",
    "/tools",
    "/health",
    "/patterns",
]
VIEWS = ["turns", "context", "waterfall", "tools", "raw"]
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
WIDE, HIGH = 390, 844  # a phone


# All that moved since the page began to load, other than at a reader's hand.
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  const count = (entries) => entries.forEach((one) => (sum += one.hadRecentInput ? 0 : one.value));
  const watch = new PerformanceObserver((list) => count(list.getEntries()));
  watch.observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => {
    count(watch.takeRecords());
    done(sum);
  }));
})"""


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    generate(root, mb=2, seed=3, prices=json.loads(bundled()))
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        assert until(lambda: made.server.get("/api/sessions?limit=1")["items"])
        yield made


@pytest.fixture(scope="module")
def sessions(stage: Scene) -> list[str]:
    """Where some sessions are."""
    return addresses(stage)[:4]


def addresses(stage: Scene) -> list[str]:
    """Where every session is."""
    found, cursor = [], ""
    while True:
        page = stage.server.get(f"/api/sessions?limit=100{cursor}")
        about = [row["session"] for row in page["items"]]
        found += [f"/s/{quote(one['projectId'], safe='')}/{one['id']}" for one in about]
        if not page["nextCursor"]:
            return found
        cursor = f"&cursor={quote(page['nextCursor'])}"


def troubles(stage: Scene, address: str) -> list[str]:
    """What a page complains of, whom else it asks, and how much too wide it is on a phone."""
    watched = stage.open(address)
    watched.page.set_viewport_size({"width": WIDE, "height": HIGH})
    width = watched.page.evaluate("document.documentElement.scrollWidth")
    watched.page.close()
    wide = [f"{width} px wide"] if width > WIDE else []
    return [*watched.said, *watched.left, *wide]


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_quiet_at_home_and_no_wider_than_a_phone(stage: Scene, address: str) -> None:
    assert troubles(stage, address) == []


@pytest.mark.parametrize("width", [390, 801, 1000, 1101, 1217, 1440])
def test_the_header_fits_and_all_of_the_navigation_can_be_reached(stage: Scene, width: int) -> None:
    page = stage.open("/tools").page
    page.set_viewport_size({"width": width, "height": 800})
    links = page.locator("nav[aria-label=Main] a")
    # A hub has one more.
    links.last.evaluate("(one) => one.parentElement.after(one.parentElement.cloneNode(true))")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".jump").evaluate("(one) => one.scrollWidth <= one.clientWidth")
    for link in links.all():
        link.scroll_into_view_if_needed()
        expect(link).to_be_in_viewport(ratio=0.99)  # of a pixel there may be a part
    page.close()


@pytest.mark.parametrize("address", ["/health", "/sessions", "/spend"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_page_that_loads_moves_nothing(stage: Scene, address: str, width: int) -> None:
    page = stage.context.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(stage.server.site + address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_load_state("networkidle")

    assert page.evaluate(SHIFT) < 0.05
    page.close()


def test_so_is_every_session(stage: Scene, sessions: list[str]) -> None:
    found = {address: troubles(stage, address) for address in sessions}

    assert {address: said for address, said in found.items() if said} == {}


@pytest.mark.parametrize("view", VIEWS)
def test_so_is_every_view_of_a_session(stage: Scene, sessions: list[str], view: str) -> None:
    assert troubles(stage, f"{sessions[0]}?view={view}") == []


@pytest.mark.parametrize("address", ["/tools?range=all", "/tools?range=all&tool=Bash"])
def test_tools_fit_on_a_phone_without_scrolling_sideways(stage: Scene, address: str) -> None:
    made = Transcript("loops", cwd="/home/dev/kettle").user("a rather long title of a session")
    for _ in range(4):
        made.calls("Bash", command="make").returns("Error: exit code 2", failed=True)
    made.calls("mcp__a_server_of_many_words__find_the_lid_of_a_kettle", {}).returns("ok").save(
        stage.root
    )
    page = stage.open(address, waits="#loops table").page
    page.set_viewport_size({"width": WIDE, "height": HIGH})

    assert page.evaluate("document.scrollingElement.scrollWidth") <= WIDE
    boxes = page.locator(".scroll")
    assert boxes.count() == 2 + ("tool=" in address)
    wide = boxes.evaluate_all("(every) => every.filter((one) => one.scrollWidth > one.clientWidth)")
    assert wide == []
    row = page.locator("table.tools tbody tr", has_text="Bash").first
    expect(row).to_contain_text("median ")
    assert [one.inner_text() for one in page.locator("table.tools th:visible").all()] == [
        "Tool", "Calls", "Failure rate",
    ]  # fmt: skip
    page.close()


# The words of every axis, with those of the key beside it, that lie upon each other.
OVERLAPS = """() => [...document.querySelectorAll("svg.axis")].flatMap((axis) => {
  const key = document.querySelectorAll("#deck .reel-key > summary");
  const words = [...axis.querySelectorAll("text"), ...key]
    .map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
  return words.flatMap(([text, a], n) => words.slice(n + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
    .map(([other]) => `${text} / ${other}`));
})"""


@pytest.mark.parametrize("width", [WIDE, 1440])
def test_words_of_the_time_axis_do_not_lie_upon_each_other(stage: Scene, width: int) -> None:
    made = Transcript("pauses", cwd="/home/dev/kettle", start="2026-10-01T08:00:00Z")
    for minutes in (130, 4, 95, 5, 700, 40, 3, 61, 45, 8):
        for call in range(9):
            made.user(f"{minutes} min later").calls("Bash", command=f"make {call}").returns("made")
            made.clock.next += timedelta(seconds=70)
        made.clock.next += timedelta(minutes=minutes)
    made.save(stage.root)
    address = "/s/-home-dev-kettle/pauses?view=waterfall"
    page = stage.open(address, waits=".bars-axis text").page
    page.set_viewport_size({"width": width, "height": HIGH})

    shown = page.locator(".bars-axis text:visible")
    assert shown.count() >= (2 if width == WIDE else 4)
    assert page.evaluate(OVERLAPS) == []
    page.close()


@pytest.mark.parametrize("address", ["/health", "/sessions", "a session"])
def test_a_copy_button_is_the_same_after_it_copied(
    stage: Scene, sessions: list[str], address: str
) -> None:
    stage.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = stage.open(sessions[0] if address == "a session" else address, waits="[data-copy]").page
    stop_clock(page)
    buttons = page.locator("[data-copy]:visible").all()[:8]
    before = [button.inner_html() for button in buttons]

    for button in buttons * 2:
        page.evaluate("navigator.clipboard.writeText('')")
        button.click()
        expect(button).to_have_attribute("data-copied", "yes")
        assert page.evaluate("navigator.clipboard.readText()") == button.get_attribute("data-copy")
        page.clock.run_for(2_000)
        expect(page.locator("#say")).to_have_text("Copied")
        expect(button).not_to_have_attribute("data-copied", "yes")
    assert [button.inner_html() for button in buttons] == before
    page.close()


@pytest.fixture(scope="module")
def real(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """The sessions people published, in one root."""
    if not CORPUS.is_dir():
        pytest.skip("there is no corpus of published sessions beside the repository")
    root = tmp_path_factory.mktemp("claude")
    for publisher in filter(Path.is_dir, CORPUS.iterdir()):
        if (publisher / "projects").is_dir():
            shutil.copytree(publisher / "projects", root / "projects", dirs_exist_ok=True)
        for path in publisher.glob("files/**/*.jsonl"):
            place = root / "projects" / f"-files-{publisher.name}"
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place / path.name)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.mark.slow
def test_so_is_every_session_that_people_published(real: Scene) -> None:
    while real.server.get("/api/index")["lag"]["bytes"]:
        sleep(0.2)
    found = {address: troubles(real, address) for address in addresses(real)}

    assert len(found) > 100
    assert {address: said for address, said in found.items() if said} == {}
