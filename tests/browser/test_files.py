"""Recent edits in a browser: file, edit, diff, step; with a script and without one."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import source, violations
from tests.browser.scene import Growing, Scene, scene

Theme: TypeAlias = Literal["light", "dark"]
LID = "/home/dev/kettle/src/lids/lid.py"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("root")
    for name in ("first", "second"):
        grows = Growing(root, name)
        grows.made.user(f"Mend the lid, {name}")
        for path in (LID, f"/home/dev/kettle/{'deep/' * 30}{name}.py"):
            given = {"file_path": path, "old_string": "size = 1", "new_string": "size = 2"}
            grows.made.calls("Edit", **given).returns("ok")
        grows.write()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/files", waits=".edited-file >> nth=2").page.close()
        yield made


def test_from_a_file_to_its_edit_its_diff_and_its_step(site: Scene) -> None:
    page = site.open("/files", waits=".edited-file").page
    file = page.locator(".edited-file", has_text="lid.py")
    file.locator("summary").first.click()
    expect(file.locator("li")).to_have_count(2)
    file.locator("li summary").first.click()
    expect(file.locator("li .diff").first).to_contain_text("size = 2")
    file.locator("li a", has_text="second").first.click()

    page.wait_for_url("**/s/-home-dev-kettle/second?at=*#step-*")


def test_a_part_of_a_path_filters_as_it_is_typed(site: Scene) -> None:
    page = site.open("/files", waits=".edited-file").page
    page.get_by_role("searchbox", name="Part of a path").fill("LIDS")

    expect(page.locator(".edited-file")).to_have_count(1)
    expect(page).to_have_url(f"{site.server.site}/files?path=LIDS")


def test_the_palette_finds_a_file(site: Scene) -> None:
    page = site.open("/spend").page
    page.keyboard.press("/")
    page.keyboard.type("lid.py")
    page.get_by_role("group", name="Files").get_by_role("option").click()

    page.wait_for_url("**/files?path=*lid.py")
    expect(page.locator(".edited-file[open]")).to_have_count(1)


def test_on_a_phone_the_folder_is_cut_and_the_name_stays(site: Scene) -> None:
    page = site.open("/files", waits=".edited-file").page
    page.set_viewport_size({"width": 390, "height": 800})

    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    name = page.locator(".edited-file b", has_text="first.py")
    box = name.bounding_box()
    assert box is not None
    assert box["width"] >= 40
    assert box["x"] + box["width"] <= 390


def test_without_a_script_it_is_all_there(browser: Browser, site: Scene) -> None:
    state = site.context.storage_state()
    context = browser.new_context(java_script_enabled=False, storage_state=state)
    page = context.new_page()
    page.goto(f"{site.server.site}/files")
    page.get_by_role("searchbox").fill("lids")
    page.get_by_role("button", name="Apply").click()
    page.locator("li summary").first.click()

    expect(page.locator("li .diff").first).to_contain_text("size = 2")
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, site: Scene, theme: Theme) -> None:
    source()
    context = browser.new_context(
        bypass_csp=True, color_scheme=theme, storage_state=site.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{site.server.site}/files?path=lids")
    page.wait_for_selector("html[data-ready]")
    page.locator("li summary").first.click()

    assert violations(page) == ""
    context.close()
