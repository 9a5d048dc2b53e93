"""The files of a session: from a file to its edits, a diff, the step, and every other session."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene
from tests.browser.spools import drag

ADDRESS = "/s/-home-dev-kettle/one"
LID = "/home/dev/kettle/src/lid.py"


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    for name in ("one", "two"):
        grows = Growing(root, name)
        for size in (1, 2):
            given = {"old_string": f"size = {size}", "new_string": f"size = {size + 1}\nnew = 1"}
            grows.made.user(f"mend it, {size}").calls("Edit", {"file_path": LID, **given})
            grows.made.returns("ok").says("It holds")
        grows.turns(0, 4)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/files", waits=".edited-file").page.close()
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    watched = stage.open(ADDRESS, waits=".files summary")
    watched.page.locator(".files summary", has_text="lid.py").click()
    yield watched.page
    assert watched.said == []
    watched.page.close()


def test_an_edit_says_when_which_step_and_how_much(page: Page) -> None:
    edits = page.locator(".fedit > summary")

    expect(edits).to_have_count(2)
    expect(edits.first).to_have_text(re.compile(r"step \d+\s*\d\d:\d\d:\d\d\s*\+2\s*−1"))


def test_a_diff_is_fetched_when_it_is_opened_and_leads_to_its_step(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    edit = page.locator(".fedit").nth(1)
    expect(edit.locator(".diff")).to_have_count(0)
    edit.locator("summary").click()

    expect(edit.locator(".diff")).to_contain_text("size = 3")
    assert len([url for url in asked if "/part/step/" in url]) == 1
    assert page.locator("#instruments").evaluate("one => one.scrollWidth <= one.clientWidth")
    edit.get_by_role("link", name="Link to this step").click()
    expect(page.locator("[data-target]")).to_contain_text("lid.py")
    expect(page.locator("[data-target]")).to_contain_text("size = 3")


def test_a_diff_that_is_open_stays_open_while_the_session_goes_on(stage: Scene) -> None:
    grows = Growing(stage.root, "grows")
    edit = {"file_path": "/home/dev/kettle/src/other.py", "old_string": "a", "new_string": "b"}
    grows.made.user("mend it").calls("Edit", edit).returns("ok").says("It holds")
    grows.write()
    page = stage.open(grows.address, waits=".files summary").page
    page.locator(".files summary", has_text="other.py").click()
    page.locator(".fedit > summary").click()
    expect(page.locator(".fedit .diff")).to_be_visible()
    grows.made.user("again").calls("Edit", edit | {"new_string": "c"}).returns("ok").says("Still")
    grows.write()

    expect(page.locator(".fedit")).to_have_count(2)
    expect(page.locator(".fedit").first.locator(".diff")).to_be_visible()
    page.close()


def test_in_a_range_a_file_has_its_edits_alone(page: Page) -> None:
    page.locator(".fedit > summary").first.click()
    expect(page.locator(".fedit .diff")).to_contain_text("size = 2")
    drag(page, 0.2, 0.45)
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")

    expect(page.locator(".fedit")).to_have_count(1)
    page.locator(".fedit > summary").click()
    expect(page.locator(".fedit .diff")).to_contain_text("size = 3")


def test_its_icon_leads_to_every_edit_in_every_session(page: Page) -> None:
    page.get_by_role("link", name="Every edit of src/lid.py").click()

    page.wait_for_url(re.compile(r"/files\?path=.*lid\.py"))
    expect(page.locator(".edited-file[open] li")).to_have_count(4)


def test_without_a_script_an_edit_leads_to_its_diff_and_its_step(
    stage: Scene, browser: Browser
) -> None:
    bare = browser.new_context(java_script_enabled=False)
    bare.add_cookies(stage.context.cookies())  # type: ignore[arg-type]
    plain = bare.new_page()
    plain.goto(stage.server.site + ADDRESS)
    plain.locator(".files summary", has_text="lid.py").click()
    plain.locator(".fedit > summary").first.click()
    plain.locator(".fedit a:visible", has_text="Link to this step").click()

    expect(plain.locator("#read .step.at .diff")).to_contain_text("size = 2")
    plain.goto(stage.server.site + ADDRESS)
    plain.locator(".files summary", has_text="lid.py").click()
    plain.locator(".fedit > summary").first.click()
    plain.locator(".fedit a:visible", has_text="Show diff").click()
    expect(plain.locator("body")).to_contain_text("size = 2")
    bare.close()
