"""The small spool of an agent that is opened in place: hover tells, a click goes to the step."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.scene import Scene, scene
from tests.browser.spools import at
from unspool.demo import Transcript

START = "2026-01-01T09:00:00.000Z"
CWD = "/home/dev/kettle"
COLUMNS = "(src) => fetch(src).then((one) => one.json())"


def written(root: Path, session: str, calls: int) -> None:
    """A session whose one agent made some calls, the first two of them in a group."""
    agent_id = f"agent-{session}"
    made = Transcript(session, cwd=CWD, start=START, uuid_prefix=f"{session}-")
    made.user("Who calls it?").calls("Task", description="Look", prompt="Look", id=f"{session}-t")
    agent = Transcript(session, cwd=CWD, start=START, agent=agent_id, uuid_prefix=f"{session}-a")
    agent.meta(agentType="Explore", description="Look", toolUseId=f"{session}-t")
    agent.at(made.dicts()[-1]["timestamp"]).user("Look")
    for name in ("first", "second"):
        agent.calls("Read", file_path=f"{CWD}/{name}.py").wait(20).returns("x = 1")
    for number in range(calls):
        agent.calls("Bash", command=f"echo {number}").wait(20).returns(f"out {number}")
    agent.says("Nobody does.").save(root)
    made.at(agent.dicts()[-1]["timestamp"])
    made.returns("Nobody.", result={"agentId": agent_id, "status": "completed"})
    made.says("Nobody calls it.").save(root)


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    written(root, "few", 6)
    written(root, "many", 400)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


def opened(stage: Scene, session: str) -> tuple[Page, Locator]:
    """The page with the agent opened, and what lies over its spool."""
    page = stage.open(f"/s/-home-dev-kettle/{session}", waits="#passages article").page
    page.locator(f"[id='step-agent-{session}'] > details > summary").click()
    over = page.locator(".agent .over[data-loaded]")
    expect(over).to_be_visible()
    return page, over


def share(page: Page, over: Locator, number: int) -> float:
    """Where a step of the agent begins."""
    found = page.evaluate(COLUMNS, over.get_attribute("data-src"))
    return float(found["x"][number]) / 10_000 + 0.002


def number_of(page: Page, over: Locator, what: str) -> int:
    """The number of the step that has an element with some words in it."""
    found = page.evaluate(COLUMNS, over.get_attribute("data-src"))
    step = page.locator(f".agent .step:has-text('{what}')").last.get_attribute("id")
    number: int = found["id"].index(step)
    return number


def test_the_pointer_is_told_the_step_below_it(stage: Scene) -> None:
    page, over = opened(stage, "few")
    place = share(page, over, number_of(page, over, "echo 3"))
    page.mouse.move(*at(page, place, ".agent .over"))

    expect(over.locator(".tip")).to_contain_text("echo 3")
    expect(over.locator(".tip")).to_contain_text(re.compile(r"step \d+\d\d:\d\d:\d\d"))
    page.mouse.move(5, 5)
    expect(over.locator(".tip")).to_be_hidden()
    page.close()


def test_a_click_goes_to_the_step_and_opens_what_hides_it(stage: Scene) -> None:
    page, over = opened(stage, "few")
    group = page.locator(".agent .step.group > details")
    expect(group).not_to_have_attribute("open", "")
    place = share(page, over, number_of(page, over, "second.py"))
    page.mouse.click(*at(page, place, ".agent .over"))

    expect(page.locator("[data-target]")).to_contain_text("second.py")
    expect(page.locator("[data-target]")).to_be_in_viewport()
    expect(group).to_have_attribute("open", "")
    page.close()


def test_a_click_before_the_first_step_goes_to_the_nearest(stage: Scene) -> None:
    page, _ = opened(stage, "few")
    page.mouse.click(*at(page, 0.0005, ".agent .over"))

    expect(page.locator("[data-target]")).to_contain_text("first.py")
    page.close()


def test_a_step_that_is_not_opened_in_place_is_on_the_page_of_the_agent(stage: Scene) -> None:
    page, _ = opened(stage, "many")
    page.mouse.click(*at(page, 0.5, ".agent .over"))

    page.wait_for_url(re.compile(r"\?agent=agent-many&at=.*#step-"))
    expect(page.locator("[data-target]")).to_be_in_viewport()
    page.close()


def test_the_picture_keeps_its_name_and_takes_no_focus(stage: Scene) -> None:
    page, over = opened(stage, "few")

    expect(page.get_by_role("img", name="What this agent did")).to_have_count(1)
    assert over.evaluate("one => [one.tabIndex, one.getAttribute('role')]") == [-1, None]
    page.close()
