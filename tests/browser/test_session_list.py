"""The session list in a browser: filters and heads without a reload, and no page is too wide."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.scene import Growing, Scene, scene
from unspool.demo import Transcript

PAGES = ["/", "/sessions", "/projects", "/search?q=answer", "/files", "/spend", "/tools", "/health"]


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Sixty old sessions with long names, and one that has just been written."""
    root = tmp_path_factory.mktemp("root")
    for n in range(60):
        made = Transcript(f"old-{n:02d}", cwd=f"/home/dev/{'long-project-name-' * 3}{n % 3}")
        made.user(f"{n:02d} {'averylongwordwithoutanyspace' * 4}").says("An answer.")
        made.calls("Bash", command="x" * 200).returns("y" * 500).save(root)
    Growing(root, "new").turns(0, 3)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made_scene:
        made_scene.open("/sessions", waits="text=of 61 sessions").page.close()
        yield made_scene


def test_a_status_is_a_filter_with_a_count_and_needs_no_reload(site: Scene) -> None:
    page = site.open("/sessions", waits="text=of 61 sessions").page
    page.evaluate("window.stays = true")
    page.get_by_role("link", name="Idle 60").click()

    expect(page.locator("#list .say")).to_contain_text("50 of 60 sessions")
    expect(page.get_by_role("link", name="All 61")).to_be_visible()
    expect(page).to_have_url(f"{site.server.site}/sessions?status=idle")
    page.get_by_role("searchbox", name="Title, branch or id").fill("07 ")
    expect(page.locator("#list .say")).to_contain_text("1 session")
    assert page.evaluate("window.stays")


def test_a_head_sorts(site: Scene) -> None:
    page = site.open("/sessions", waits="text=of 61 sessions").page
    page.get_by_role("link", name="Title", exact=True).click()

    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Title")
    expect(page.locator(".list .c-title").first).to_contain_text("00 avery")


def test_buttons_are_there_only_without_a_script(browser: Browser, site: Scene) -> None:
    page = site.open("/sessions", waits="text=of 61 sessions").page
    expect(page.get_by_role("button", name="Apply")).to_have_count(0)
    state = site.context.storage_state()
    context = browser.new_context(java_script_enabled=False, storage_state=state)
    plain = context.new_page()
    plain.goto(f"{site.server.site}/sessions")
    plain.get_by_role("searchbox").fill("07 ")
    plain.get_by_role("button", name="Apply").click()

    expect(plain.locator("#list .say")).to_contain_text("1 session")
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_a_phone(site: Scene, path: str) -> None:
    page = site.open(path).page
    page.set_viewport_size({"width": 390, "height": 844})

    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    page.close()
