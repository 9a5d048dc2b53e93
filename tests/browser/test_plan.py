"""The plan of a session: fetched when it is unfolded, and it stays when the session goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import violations
from tests.browser.scene import Growing, Scene, scene


@pytest.fixture
def grows(tmp_path: Path) -> Growing:
    """A session with a plan."""
    made = Growing(tmp_path / "root")
    made.made.user("Mend the lid", slug="calm-blue-kite").says("Done")
    plan = tmp_path / "root" / "plans" / "calm-blue-kite.md"
    plan.parent.mkdir(parents=True)
    plan.write_text("# Way to go\n\n1. Measure **twice**\n")
    return made.write()


@pytest.fixture
def site(browser: Browser, grows: Growing, tmp_path: Path) -> Iterator[Scene]:
    with scene(browser, tmp_path / "root", tmp_path / "home") as made:
        yield made


def test_it_is_fetched_when_it_is_unfolded_and_stays(site: Scene, grows: Growing) -> None:
    page = site.open("/s/-home-dev-kettle/grows", waits="#plan").page
    fold = page.locator("#plan")
    expect(fold.get_by_role("heading", name="Way to go")).to_have_count(0)
    fold.locator("summary").click()
    expect(fold.get_by_role("heading", name="Way to go")).to_be_visible()
    expect(fold.locator("strong")).to_have_text("twice")
    assert violations(page) == ""

    grows.made.user("And the spout?")
    grows.write()
    expect(page.locator("#read")).to_contain_text("And the spout?")
    expect(fold.locator("strong")).to_be_visible()
