"""A session of many megabytes: its beginning at once, and all else without another page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.scene import Growing, Scene, scene
from tests.waiting import until

PARTS = """() => ["feed", "head", "reel", "views", "outline", "passages", "later", "instruments"]
  .map((id) => document.getElementById(id).innerHTML)
  .map((html) => html.replace(/ id="onward"|\\s+/g, ""))"""
TURNS, ANSWER = 400, "and so it goes on " * 2_500


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    for name in ("one", "two"):
        _long(Growing(root, name))
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        # Until a session is in the list, its page reads all of it, and holds it from then on.
        assert until(lambda: len(made.server.get("/api/sessions")["items"]) == 2)
        yield made


def _long(grows: Growing) -> None:
    for turn in range(TURNS):
        grows.made.user(f"prompt {turn}").calls("Bash", command=f"echo {turn}")
        grows.made.returns(ANSWER).says(f"answer {turn}, at last")
    grows.write()


@pytest.mark.slow
def test_the_rest_of_a_long_session_comes_by_itself(stage: Scene) -> None:
    watched = stage.open("/s/-home-dev-kettle/one", waits="#begun")
    expect(watched.page.locator("#outline li")).to_have_count(200)
    come = watched.page.evaluate(PARTS)
    whole = stage.open("/s/-home-dev-kettle/one").page

    assert whole.locator("#begun").count() == 0
    assert come == whole.evaluate(PARTS)
    assert watched.said == []


@pytest.mark.slow
def test_the_end_of_a_long_session_is_found_from_its_beginning(stage: Scene) -> None:
    page = stage.open("/s/-home-dev-kettle/two", waits="#begun").page
    page.locator("a[data-latest]").click()

    expect(page.get_by_text(f"answer {TURNS - 1}, at last")).to_be_visible()
    expect(page.locator("#read[data-following]")).to_be_attached()
