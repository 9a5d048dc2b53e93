"""A session that is being written, on an open page: it comes in, and nothing is taken away."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene
from tests.cli.runs import process
from tests.waiting import until


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    (root / "projects").mkdir()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def grows(stage: Scene, request: pytest.FixtureRequest) -> Growing:
    name = f"grows-{request.node.name.removeprefix('test_')[:40]}"
    return Growing(stage.root, name).turns(0, 3)


def opened(stage: Scene, grows: Growing) -> Page:
    return stage.open(grows.address, waits="text=answer 2").page


def test_what_is_written_appears(stage: Scene, grows: Growing) -> None:
    page = opened(stage, grows)
    grows.turns(3, 4)

    expect(page.get_by_text("answer 3, at last")).to_be_attached()
    page.close()


def asks_again(page: Page) -> int:
    """Have a page ask for what is new; the status of the answer."""
    with page.expect_response(re.compile("/part/tail/")) as answer:
        page.evaluate("() => document.querySelector('live-feed').refresh()")
    return answer.value.status


def test_a_page_that_has_everything_is_sent_nothing(stage: Scene, grows: Growing) -> None:
    page = opened(stage, grows)

    assert until(lambda: asks_again(page) == 304)
    grows.turns(3, 4)
    expect(page.get_by_text("answer 3, at last")).to_be_attached()
    assert until(lambda: asks_again(page) == 304)
    page.close()


def test_details_that_were_opened_stay_open(stage: Scene, grows: Growing) -> None:
    page = opened(stage, grows)
    calls = page.locator("#passages details:has(> summary:has-text('echo'))")
    calls.nth(0).locator("> summary").click()
    calls.last.locator("> summary").click()
    grows.made.calls("Bash", command="echo more").returns("and more").says("one more answer")
    grows.write()

    expect(page.get_by_text("one more answer")).to_be_attached()
    assert [one.get_attribute("open") is not None for one in calls.all()][:3] == [True, False, True]
    page.close()


def test_focus_and_selection_stay(stage: Scene, grows: Growing) -> None:
    page = opened(stage, grows)
    page.locator("#passages summary").last.focus()
    page.evaluate(
        "() => getSelection().selectAllChildren(document.querySelector('#passages .prose'))"
    )
    before = page.evaluate("[document.activeElement.textContent, String(getSelection())]")
    grows.made.says("something else")
    grows.write()

    expect(page.get_by_text("something else")).to_be_attached()
    assert page.evaluate("[document.activeElement.textContent, String(getSelection())]") == before
    page.close()


def test_who_is_in_the_middle_stays_there(stage: Scene, grows: Growing) -> None:
    grows.turns(3, 100)
    page = stage.open(grows.address, waits="#later a[data-window]").page
    later = page.locator("#later a[data-window]")
    first = later.get_attribute("data-window")
    later.click()
    expect(later).not_to_have_attribute("data-window", first or "")
    place = later.get_attribute("data-window")
    told = page.locator("#later span").first.inner_text()
    grows.turns(100, 102)

    expect(page.locator("#later span").first).not_to_have_text(told)
    assert later.get_attribute("data-window") == place
    page.close()


def test_a_call_that_runs_is_done_when_its_result_comes(stage: Scene, grows: Growing) -> None:
    grows.made.user("run").calls("Bash", command="sleep 9")
    grows.write()
    page = stage.open(grows.address, waits="text=sleep 9").page
    grows.made.returns("slept well")
    grows.write()
    expect(page.get_by_text("sleep 9")).to_have_count(1)  # the line that asked is gone
    page.get_by_text("sleep 9").click()

    expect(page.get_by_text("slept well").last).to_be_attached()
    page.close()


def test_a_session_that_begins_appears_on_the_board(stage: Scene, grows: Growing) -> None:
    page = stage.open("/").page
    Growing(stage.root, "begins", cwd="/home/dev/teapot").turns(0, 1)

    expect(page.get_by_text("teapot").first).to_be_attached()
    page.close()


def test_a_session_that_begins_ends_a_quiet_day(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("quiet")
    (root / "projects").mkdir()
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        page = made.open("/", waits=".quiet-day").page
        expect(page.locator("h1")).to_have_text("Nothing is running")
        Growing(root, "begins").turns(0, 1)

        expect(page.locator("#slots > .slot")).to_have_count(1)
        expect(page.locator("h1")).to_have_text("0 waiting for you")


def test_nothing_is_missing_or_doubled_after_a_kill(stage: Scene, grows: Growing) -> None:
    page = opened(stage, grows)
    grows.turns(3, 5)
    stage.kill()
    grows.turns(5, 8)
    expect(page.locator("live-feed")).to_contain_text("Disconnected")
    stage.start()
    grows.turns(8, 10)

    expect(page.get_by_text("answer 9, at last")).to_be_attached()
    expect(page.locator("live-feed")).to_be_empty()
    words = page.locator("#passages").text_content() or ""
    assert [words.count(f"answer {n}, at last") for n in range(10)] == [1] * 10
    page.close()


def test_a_page_lets_go_of_a_session_that_is_forgotten(stage: Scene, grows: Growing) -> None:
    page = opened(stage, grows)
    said = process(
        "forget", grows.made.session, "--yes", "--root", stage.root, UNSPOOL_HOME=stage.home
    )

    assert said.code == 0, said.err
    expect(page.get_by_text("answer 2, at last")).to_have_count(0)
    expect(page.get_by_text("This session was forgotten.")).to_be_attached()
    page.close()
