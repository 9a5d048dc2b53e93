"""The spend page as an instrument: every gesture, down from the year to one step and back."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import gmtime
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Scene, scene
from tests.waiting import until
from unspool.demo import Transcript

OPUS, HAIKU, SONNET = "claude-opus-4-6", "claude-haiku-4-5", "claude-sonnet-4-5"
TODAY = datetime(*gmtime()[:3], 0, 0, 1, tzinfo=UTC)


def spent(root: Path, name: str, days: int, model: str = OPUS, output: int = 40_000) -> None:
    """A session some days ago: a call and an answer, each of some output."""
    start = (TODAY - timedelta(days=days)).strftime("%FT%TZ")
    made = Transcript(name, cwd=f"/home/dev/{name[:1]}", start=start, uuid_prefix=name, model=model)
    usage = {"output_tokens": output}
    made.user(f"prompt of {name}").calls("Bash", {"command": "ls"}, usage=usage, model=model)
    made.returns("a").says(f"answer of {name}", usage=usage, model=model).save(root)


class Stage(NamedTuple):
    scene: Scene
    errors: list[str]

    def open(self, address: str = "/spend") -> Page:
        watched = self.scene.open(address, waits="#dayplot a")
        self.errors.clear()
        watched.page.on("pageerror", lambda error: self.errors.append(str(error)))
        watched.page.on(
            "console", lambda said: self.errors.append(said.text) if said.type == "error" else None
        )
        return watched.page


@pytest.fixture(scope="module")
def _scene(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    for days in (0, 1, 2, 5):
        spent(root, f"a{days}", days)
    spent(root, "b1", 1, HAIKU)
    spent(root, "c1", 1, SONNET, output=20)  # less than half a cent
    spent(root, "old", 29, output=20_000)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/sessions", waits="tr[id]").page.close()
        assert until(lambda: len(made.server.get("/api/sessions")["items"]) == 7)
        yield made


@pytest.fixture
def stage(_scene: Scene) -> Iterator[Stage]:
    made = Stage(_scene, [])
    yield made
    for page in list(_scene.context.pages):
        page.close()
    assert made.errors == []


def day(days: int) -> str:
    return (TODAY - timedelta(days=days)).strftime("%F")


def bar(page: Page, days: int) -> str:
    return f"#dayplot a[data-from='{day(days)}']"


def middle(page: Page, days: int) -> tuple[float, float]:
    box = page.locator(f"{bar(page, days)} .hit").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def figure(page: Page) -> str:
    return page.inner_text(".big").replace("\n", "")


@pytest.mark.parametrize("address", ["/spend", "/tools"])
def test_a_project_is_chosen_without_a_button(stage: Stage, address: str) -> None:
    page = stage.scene.open(f"{address}?range=7").page
    expect(page.get_by_role("button", name="Apply")).to_have_count(0)
    page.get_by_role("combobox", name="project").select_option("-home-dev-b")

    page.wait_for_url(f"**{address}?range=7&project=-home-dev-b")


def test_hover_reads_a_day_without_rows_of_nothing(stage: Stage) -> None:
    page = stage.open()
    page.mouse.move(*middle(page, 1))
    tip = page.locator("#tip")

    expect(tip).to_be_visible()
    assert tip.locator("dt").all_inner_texts() == ["opus-4-6", "haiku-4-5"]
    expect(tip).to_contain_text("compared with four weeks earlier")
    page.mouse.move(*middle(page, 0))
    expect(tip.locator("dt")).to_have_count(1)
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_a_click_chooses_a_day_and_back_undoes_it(stage: Stage) -> None:
    page = stage.open()
    whole = figure(page)
    page.mouse.click(*middle(page, 1))
    expect(page.locator("#range")).to_be_visible()

    expect(page).to_have_url(re.compile(f"day={day(1)}$"))
    assert figure(page) != whole
    expect(page.locator("#dayplot a.off")).to_have_count(27)
    page.go_back()
    expect(page.locator("#range")).to_have_count(0)
    assert figure(page) == whole


def test_a_drag_chooses_days_and_the_cross_clears_them(stage: Stage) -> None:
    page = stage.open()
    page.mouse.move(*middle(page, 2))
    page.mouse.down()
    page.mouse.move(*middle(page, 1))
    expect(page.locator(".brush")).to_have_count(1)
    page.mouse.move(*middle(page, 0))
    page.mouse.up()
    expect(page.locator("#range")).to_be_visible()

    expect(page).to_have_url(re.compile(f"from={day(2)}&to={day(0)}"))
    expect(page.locator("#dayplot a:not(.off)")).to_have_count(3)
    page.click("#range a")
    expect(page.locator("#hint")).to_be_visible()
    expect(page).not_to_have_url(re.compile("from="))


def test_arrows_walk_shift_extends_enter_picks_and_escape_clears(stage: Stage) -> None:
    page = stage.open()
    assert page.locator("#dayplot a[tabindex='0']").count() == 1
    page.focus(bar(page, 0))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(bar(page, 1))).to_be_focused()
    expect(page.locator("#tip")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#range")).to_be_visible()
    expect(page).to_have_url(re.compile(f"day={day(1)}$"))
    expect(page.locator(bar(page, 1))).to_be_focused()
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("#dayplot a:not(.off)")).to_have_count(2)
    expect(page).to_have_url(re.compile(f"from={day(2)}&to={day(1)}"))
    expect(page.locator(bar(page, 2))).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#range")).to_have_count(0)


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_the_legend_shows_a_model_alone(stage: Stage, how: str) -> None:
    page = stage.open()
    entry = page.locator("#models a[data-m='0']")
    entry.hover() if how == "hover" else entry.focus()

    expect(page.locator("#dayplot.solo")).to_have_count(1)
    expect(page.locator(".seg.on")).to_have_count(page.locator(".seg.p1").count())
    page.mouse.move(5, 5)
    page.evaluate("document.activeElement.blur()")
    expect(page.locator("#dayplot.solo")).to_have_count(0)


def test_a_model_of_the_legend_leads_to_its_sessions(stage: Stage) -> None:
    page = stage.open()
    page.click("#models a[data-m='1']")
    page.wait_for_url("**model=haiku-4-5**")

    expect(page.locator(".dp .drow .clip")).to_have_text(["b"])


def test_from_the_year_to_one_step_and_back(stage: Stage) -> None:
    page = stage.open("/spend?range=365")
    page.mouse.click(*middle_of_last(page))
    expect(page.locator("#range")).to_be_visible()
    page.click(".dp >> nth=0 >> summary >> nth=0")
    page.click(".ds >> nth=0 >> summary >> nth=0")
    page.click(".dt >> nth=0 >> summary >> nth=0")
    chosen = page.url
    page.click(".dt >> nth=0 >> a >> nth=0")
    page.wait_for_url(re.compile(r"/s/.*[?&]at="))
    expect(page.locator("main")).to_contain_text("answer of a")
    page.go_back()
    expect(page.locator("#range")).to_be_visible()

    assert page.url == chosen


def middle_of_last(page: Page) -> tuple[float, float]:
    box = page.locator("#dayplot a .hit").last.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + 10


def test_open_projects_stay_open_when_other_days_are_chosen(stage: Stage) -> None:
    page = stage.open()
    page.click(".dp[data-p='-home-dev-a'] > summary")
    expect(page.locator(".ds")).to_have_count(4)
    page.mouse.click(*middle(page, 1))

    expect(page.locator(".dp[data-p='-home-dev-a'][open] .ds")).to_have_count(1)


@pytest.mark.parametrize("address", ["day", "from"])
def test_without_script_a_range_is_drawn_by_the_server(
    stage: Stage, browser: Browser, address: str
) -> None:
    asked = f"day={day(1)}" if address == "day" else f"from={day(2)}&to={day(1)}"
    server = stage.scene.server
    headers = {"authorization": f"Bearer {server.token}"}
    with browser.new_context(java_script_enabled=False, extra_http_headers=headers) as context:
        page = context.new_page()
        page.goto(f"{server.url}/spend?{asked}")
        count = 1 if address == "day" else 2
        expect(page.locator("#dayplot a:not(.off)")).to_have_count(count)
        expect(page.locator(".brush")).to_have_count(1)
        page.click(f"#dayplot a[data-from='{day(0)}']")
        expect(page).to_have_url(re.compile(f"day={day(0)}$"))
        page.click(".dp summary")
        page.click(".dp a:text('Only this project')")
        page.click(".ds summary")
        page.click(".ds a:text('Turns')")
        page.click(".dt summary")
        page.click(".dt a >> nth=0")
        expect(page.locator("main")).to_contain_text("answer of a0")
