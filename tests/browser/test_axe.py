"""No page keeps anybody out: axe finds nothing, in light and in dark, wide and narrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import axe
from tests.browser.scene import Scene, scene
from tests.engine.export.made import exported, opened
from tests.show.everything import AGENT, everything
from unspool.demo import Transcript

Theme = Literal["light", "dark"]
VIEWS = ["turns", "context", "waterfall", "tools", "raw"]
# What is fetched when it is opened is asked for a frame later.
OPEN = """() => {
  document.querySelectorAll("main details").forEach((one) => { one.open = true; });
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
PAGES = ["/", "/sessions", "/projects", "/search", "/search?q=limiter", "/files", "/spend",
         "/tools", "/health", "/patterns", "/nothing/here"]  # fmt: skip


class Stage(NamedTuple):
    """A server with a session that has every kind of step, and where that is."""

    scene: Scene
    browser: Browser
    address: str

    def context(self, theme: Theme, width: int) -> BrowserContext:
        """A browser that was let in, and in which axe may run."""
        made = self.browser.new_context(
            bypass_csp=True,
            color_scheme=theme,
            viewport={"width": width, "height": 900},
            storage_state=self.scene.context.storage_state(),
        )
        return made


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    axe.source()
    root = tmp_path_factory.mktemp("claude")
    project, session = everything(root)
    talk = Transcript(session="another", cwd="/home/dev/kettle", uuid_prefix="k")
    talk.user("Count the limiter's lines").says("There are none.").save(root)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/sessions", waits="a[href^='/s/']").page.close()
        yield Stage(made, browser, f"/s/{project}/{session}")


@pytest.fixture(
    scope="module", params=[("light", 1440), pytest.param(("dark", 390), marks=pytest.mark.slow)]
)
def page(request: pytest.FixtureRequest, stage: Stage) -> Iterator[Page]:
    context = stage.context(*request.param)
    yield context.new_page()
    context.close()


def looked_at(stage: Stage, page: Page, address: str) -> str:
    """A page of the server, everything on it opened."""
    page.goto(stage.scene.server.site + address)
    page.wait_for_selector("html[data-ready]")
    page.evaluate(OPEN)
    page.wait_for_selector("main:not(:has(load-part[aria-busy]))")
    return axe.violations(page)


@pytest.mark.parametrize("address", PAGES)
def test_nobody_is_kept_out_of_a_page(stage: Stage, page: Page, address: str) -> None:
    assert looked_at(stage, page, address) == ""


def test_nobody_is_kept_out_of_chosen_days_and_what_they_open(stage: Stage, page: Page) -> None:
    page.goto(f"{stage.scene.server.site}/spend?range=all&by=daily")
    days = page.locator("#dayplot a").first.get_attribute("data-from")
    page.goto(f"{stage.scene.server.site}/spend?range=all&by=daily&day={days}")
    page.wait_for_selector("html[data-ready]")
    for fold, inside in ((".dp", ".ds"), (".ds", ".dt"), (".dt", ".dt a")):
        page.click(f"{fold} > summary >> nth=0")
        page.wait_for_selector(inside)
    page.focus("#dayplot a:not(.off)")

    expect(page.locator("#tip")).to_be_visible()
    assert axe.violations(page) == ""


@pytest.mark.parametrize(
    "address", ["/tools?range=all&tool=Bash", "/tools?range=all&tool=Bash&show=failed"]
)
def test_nobody_is_kept_out_of_calls(stage: Stage, page: Page, address: str) -> None:
    assert looked_at(stage, page, address) == ""


@pytest.mark.parametrize("view", VIEWS)
def test_nobody_is_kept_out_of_a_session(stage: Stage, page: Page, view: str) -> None:
    assert looked_at(stage, page, f"{stage.address}?view={view}") == ""


@pytest.mark.parametrize("asked", [f"agent={AGENT}", "q=limiter", "view=raw&line=4"])
def test_nobody_is_kept_out_of_a_part_of_it(stage: Stage, page: Page, asked: str) -> None:
    assert looked_at(stage, page, f"{stage.address}?{asked}") == ""


def test_nobody_is_kept_out_of_a_range_of_steps(stage: Stage, page: Page) -> None:
    page.goto(f"{stage.scene.server.site}{stage.address}?from={AGENT}&to=toolu_bad")
    page.wait_for_selector("#over .brush:not([hidden])")

    assert axe.violations(page) == ""


def test_nobody_is_kept_out_of_a_diff_beside_the_column_or_an_agent_s_spool(
    stage: Stage, page: Page
) -> None:
    page.goto(stage.scene.server.site + stage.address)
    page.wait_for_selector("html[data-ready]")
    for fold in (".fold-instr", ".files details", ".fedit", f"[id='step-{AGENT}'] > details"):
        page.locator(fold).first.evaluate("one => { one.open = true }")
    page.wait_for_selector(".fedit .diff")
    page.locator(f"[id='step-{AGENT}']").scroll_into_view_if_needed()
    page.wait_for_selector(".agent .over[data-loaded]")

    assert axe.violations(page) == ""


@pytest.mark.parametrize("typed", ["", "limiter"])
def test_nobody_is_kept_out_of_the_palette(stage: Stage, page: Page, typed: str) -> None:
    page.goto(stage.scene.server.site + stage.address)
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog[open] [role=option]")
    page.keyboard.type(typed)
    page.wait_for_selector(f"dialog[open] [role=option]:has-text('{typed}')")

    assert axe.violations(page) == ""


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1440)])
def test_nobody_is_kept_out_of_a_file(
    browser: Browser, tmp_path: Path, theme: Theme, width: int
) -> None:
    axe.source()
    everything(tmp_path)
    file = tmp_path / "a.html"
    file.write_bytes(exported(opened(tmp_path, "everything"))[0])
    with browser.new_context(bypass_csp=True, color_scheme=theme) as context:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")

        assert axe.violations(page) == ""
