"""A link to any step of a long session: it is there, in sight and marked."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene

NUMBERS = "[...document.querySelectorAll('#passages > article')].map((one) => +one.dataset.n)"
PROMPTS = """() => fetch(document.getElementById("over").dataset.src)
  .then((answer) => answer.json()).then(({ id }) => id.filter((one) => one.startsWith("chunk-")))"""
PLACE = "document.querySelector('[data-target]').getBoundingClientRect().y"
# It has been at the same place for ten frames.
STILL = f"""() => {{
  const place = {PLACE};
  window.frames_still = window.last_place === place ? window.frames_still + 1 : 0;
  window.last_place = place;
  return window.frames_still > 10;
}}"""


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    Growing(root, "long").turns(0, 1_000)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture(scope="module")
def steps(stage: Scene) -> list[str]:
    """Ids of all that was called and said, from the session's document."""
    stage.open("/s/-home-dev-kettle/long", waits="#passages article").page.close()
    document: Any = stage.server.get("/api/sessions/-home-dev-kettle/long")
    kinds = ("tool_call", "output")
    found = [step for chunk in document["chunks"] for step in chunk.get("steps", [])]
    return [step["id"] for step in found if step["type"] in kinds]


def landed(page: Page, id: str) -> None:
    """The step is in sight, and it alone is marked."""
    step = page.locator(f'[id="step-{id}"]')
    expect(step).to_be_in_viewport()
    expect(page.locator("[data-target]")).to_have_attribute("id", f"step-{id}")


def anchor(id: str) -> str:
    return f"/s/-home-dev-kettle/long#step-{quote(id, safe='')}"


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_a_link_from_elsewhere_lands_on_its_step(
    stage: Scene, steps: list[str], share: float
) -> None:
    id = steps[int(share * (len(steps) - 1))]
    page = stage.open(anchor(id), waits="#passages").page

    landed(page, id)
    page.close()


def test_a_link_on_the_page_lands_on_its_step(stage: Scene, steps: list[str]) -> None:
    page = stage.open("/s/-home-dev-kettle/long", waits="#passages").page
    for id in (steps[1_700], steps[3], steps[1_999]):
        page.evaluate("hash => { location.hash = hash; }", f"#step-{id}")
        landed(page, id)
    page.close()


def test_a_link_lands_on_a_prompt_that_is_not_loaded(stage: Scene) -> None:
    page = stage.open("/s/-home-dev-kettle/long", waits="#over[aria-valuenow]").page
    last = page.evaluate(PROMPTS)[-1]
    assert page.locator(f'[id="{last}"]').count() == 0
    page.evaluate("hash => { location.hash = hash; }", f"#{last}")

    expect(page.locator("[data-target]")).to_have_attribute("id", last)
    expect(page.locator("[data-target]")).to_be_in_viewport()
    page.close()


def test_a_link_to_nothing_says_so(stage: Scene) -> None:
    page = stage.open("/s/-home-dev-kettle/long#step-nowhere", waits="#passages").page

    expect(page.get_by_role("alert")).to_contain_text("was not found")
    assert page.locator("#passages article").count() > 0
    page.close()


def test_windows_are_read_on_without_a_reload(stage: Scene, steps: list[str]) -> None:
    page = stage.open(anchor(steps[1_000]), waits="#passages").page
    landed(page, steps[1_000])
    page.wait_for_function(STILL)
    seen = page.locator("#passages > article").count()
    before = page.evaluate(PLACE)
    page.evaluate("document.querySelector('#earlier a[data-window]').click()")
    expect(page.locator("#passages > article")).not_to_have_count(seen)
    page.evaluate("document.querySelector('#later a[data-window]').click()")
    page.wait_for_function(
        "n => document.querySelectorAll('#passages > article').length > n", arg=2 * seen
    )

    numbers = page.evaluate(NUMBERS)
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(numbers) > 2 * seen
    assert abs(page.evaluate(PLACE) - before) <= 2
    page.close()
