"""The reading column: levels, copying, links, agents and the outline, by hand and by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import axe
from tests.browser.scene import Growing, Scene, scene
from tests.show.everything import AGENT, INNER, everything

ADDRESS = "/s/-home-dev-kettle/reads"
HEIGHTS = (
    "[...document.querySelectorAll('#read .step')].map(one => one.getBoundingClientRect().top)"
)
COMMAND = "make lint && make test > out.txt 2>&1"
REPORT = "Background command &quot;sleep 9 &amp;&amp; date &gt; at.txt&quot; completed"
# What is read, heard and copied: texts, and the attributes that are.
WORDS = """() => [document.title, document.body.textContent,
  ...["title", "aria-label", "data-copy"].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((one) => one.getAttribute(name))),
].join("\\n")"""
SHIFTS = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().map((one) => one.value)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done([]), 500);
})"""


def written(root: Path) -> None:
    """Hooks, groups, MCP, a failure and code, over several turns."""
    grows = Growing(root, "reads")
    talk = grows.made
    talk.user("Make the limiter per tenant")
    for name in ("a", "b"):
        talk.calls("Read", file_path=f"/home/dev/kettle/src/limits/{name}.py").returns("x = 1\n")
    talk.calls("Bash", command="cd src &&\n  ls").returns("limits\n")
    talk.calls("mcp__Claude_Browser__navigate", url="https://example.org").returns("ok")
    talk.calls("Bash", command="pytest -q").returns("Exit code 1\n1 failed", failed=True)
    talk.calls("Read", file_path="/home/dev/kettle/long.txt").returns("line of it\n" * 400)
    talk.says("The limiter keys on the route.\n\n```python\nkey = (tenant, route)\n```")
    grows.turns(0, 12)


def signs(root: Path) -> None:
    """Commands with signs that HTML has escapes for, wherever a session may have them."""
    talk = (grows := Growing(root, "signs")).made
    talk.user(f"Run {COMMAND}").calls("Bash", command=COMMAND).returns("1 < 2 && 3 > 2\n")
    talk.calls("Bash", command="false && true > x").returns("Exit code 1\na && b > c", failed=True)
    talk.says(f"It ran `{COMMAND}`, and 1 < 2 && 3 > 2.\n\n```sh\n{COMMAND}\n```")
    report = f"<task-notification><task-id>b1</task-id><summary>{REPORT}</summary>"
    talk.user(f"{report}</task-notification>").says("It has ended")
    grows.write()


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    written(root)
    signs(root)
    everything(root)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        origin = made.server.site
        made.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
        yield made


@pytest.fixture
def page(stage: Scene) -> Iterator[Page]:
    stage.context.clear_cookies(name="unspool-level")
    watched = stage.open(ADDRESS, waits="#passages article")
    yield watched.page
    assert (watched.said, watched.left) == ([], [])
    watched.page.close()


def level(page: Page) -> str | None:
    return page.get_attribute("#read", "data-level")


def copied(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def call(page: Page, tool: str, what: str) -> str:
    """The id of the first call of a tool about something."""
    found = page.locator(f'#read .step:has(> details > summary .tool:text-is("{tool}"))')
    return str(found.filter(has_text=what).first.get_attribute("id"))


def test_keys_and_the_control_choose_the_level_and_it_is_remembered(
    stage: Scene, page: Page
) -> None:
    ok = page.locator("#read .step", has_text="navigate")
    gist = page.locator(".gist").first
    assert level(page) == "normal"
    expect(ok).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("#read")).to_have_attribute("data-level", "story")
    expect(ok).to_be_hidden()
    expect(gist).to_contain_text("6 calls: 3 Read, 2 Bash, 1 navigate · 1 failed · ")
    expect(page.locator("#read .step-error pre").first).to_be_visible()
    page.click("#levels a:text('Everything')")
    expect(page.locator("#read .step > details:not([open])")).to_have_count(0)
    page.keyboard.press("1")
    expect(page.locator("#read")).to_have_attribute("data-level", "story")
    again = stage.open(ADDRESS, waits="#passages article").page

    assert level(again) == "story"
    again.close()
    page.keyboard.press("2")
    expect(page.locator("#read .step.group > details[open]")).to_have_count(0)


def test_a_link_to_a_step_that_the_story_hides_shows_it(page: Page) -> None:
    id = call(page, "Bash", "echo 7")
    page.keyboard.press("1")
    page.evaluate("id => { location.hash = id }", id)

    expect(page.locator(f"[id='{id}']")).to_be_in_viewport()
    assert level(page) == "normal"


def test_a_name_is_never_cut_and_a_server_is_a_chip(page: Page) -> None:
    row = page.locator("#read .row", has=page.locator(".tool:text-is('navigate')"))
    tool = row.locator(".tool")

    assert tool.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert row.locator(".chip").inner_text() == "Claude_Browser"


def test_of_a_path_that_is_too_long_the_folder_is_cut(page: Page) -> None:
    page.locator("#read .step.group > details > summary").first.click()
    path = page.locator("#read .step.group .what:has(.dir)").first
    path.evaluate("one => { one.style.width = '70px' }")
    folder, name = path.locator(".dir"), path.locator(".name")

    assert (folder.inner_text(), name.inner_text()) == ("src/limits/", "a.py")
    assert folder.evaluate("one => one.scrollWidth > one.clientWidth")
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")


def point_at(block: Locator) -> None:
    """Hover over it in the middle of the window, where nothing that sticks to its edge lies."""
    block.evaluate("one => one.scrollIntoView({ block: 'center' })")
    block.hover()


def test_every_block_can_be_copied(page: Page) -> None:
    blocks = [
        (".you", "Make the limiter per tenant"),
        (".block:has(code)", "key = (tenant, route)\n"),
        (f"[id='{call(page, 'Bash', 'cd src')}']", "cd src &&\n  ls"),
        (".step-error .block", "Exit code 1\n1 failed"),
    ]
    for selector, text in blocks:
        block = page.locator(f"#read {selector}").first
        point_at(block)
        button = block.locator("> .act, > .gut > button.act").first
        expect(button).to_be_visible()
        button.click()
        expect(button).to_have_attribute("data-copied", "yes")

        assert copied(page) == text


@pytest.mark.parametrize("name", ["story", "normal", "everything"])
def test_signs_of_a_command_are_shown_as_they_were_typed(stage: Scene, name: str) -> None:
    watched = stage.open(f"/s/-home-dev-kettle/signs?level={name}", waits="text=It has ended")
    page = watched.page
    expect(page.locator("#read")).to_contain_text(f"Run {COMMAND}")
    expect(page.locator("#read .claude .prose code").first).to_have_text(COMMAND)
    expect(page.locator("#read")).to_contain_text('"sleep 9 && date > at.txt"')
    words = page.evaluate(WORDS)

    assert words.count(COMMAND) > 3
    assert [one for one in ("&amp;", "&gt;", "&lt;", "&quot;", "&#") if one in words] == []
    assert (watched.said, watched.left) == ([], [])
    page.close()


def test_the_keys_open_and_copy_the_step_that_has_the_focus(page: Page) -> None:
    step = page.locator(f"[id='{call(page, 'Bash', 'echo 3')}']")
    step.locator("summary").focus()
    fold = step.locator("> details")
    page.keyboard.press("o")
    expect(fold).to_have_attribute("open", "")
    page.keyboard.press("o")
    expect(fold).not_to_have_attribute("open", "")
    page.keyboard.press("c")
    expect(step.locator("> .gut button")).to_have_attribute("data-copied", "yes")

    assert copied(page) == "echo 3"


def test_what_stands_beside_a_block_covers_and_moves_nothing(page: Page) -> None:
    step = page.locator("#read .step", has_text="navigate")
    gutter = step.locator("> .gut")
    expect(gutter.locator("time")).to_be_hidden()
    before = page.evaluate(HEIGHTS)
    step.hover()
    expect(gutter.locator("time")).to_be_visible()
    row = step.locator(".row").bounding_box()
    clock, link = (gutter.locator(one).bounding_box() for one in ("time", "a"))

    assert row
    assert clock
    assert link
    assert clock["x"] + clock["width"] <= row["x"]
    assert link["x"] >= row["x"] + row["width"]
    assert page.evaluate(HEIGHTS) == before
    assert sum(page.evaluate(SHIFTS)) < 0.05


def test_a_step_has_a_link_that_leads_back_to_it(stage: Scene, page: Page) -> None:
    id = call(page, "Bash", "echo 5")
    step = page.locator(f"[id='{id}']")
    point_at(step)
    step.locator("> .gut a").click()
    expect(step).to_have_attribute("data-target", "")
    other = stage.open(page.url.removeprefix(stage.server.site), waits="#passages article").page

    assert page.url.endswith(f"#{id}")
    expect(other.locator(f"[id='{id}']")).to_be_in_viewport()
    other.close()


def test_a_long_call_shows_what_is_in_it_when_it_is_opened(page: Page) -> None:
    step = page.locator(f"[id='{call(page, 'Read', 'long.txt')}']")
    step.locator("summary").first.click()

    expect(step.locator("pre").first).to_contain_text("line of it")
    expect(step.locator(".cutline", has_text="364 lines hidden")).to_be_visible()


def test_an_agent_opens_in_place_with_one_click(stage: Scene) -> None:
    watched = stage.open("/s/-home-dev-shop/everything", waits="#passages article")
    agent = watched.page.locator(f"[id='step-{AGENT}']")
    agent.locator("summary").first.click()
    inner = agent.locator(f"[id='step-{INNER}']")
    expect(agent.locator("svg.spool").first).to_be_visible()
    expect(inner.locator("> details")).to_be_visible()
    inner.locator("summary").first.click()

    expect(inner.locator(".step").first).to_be_visible()
    expect(agent.locator("a:text('Open as a page')").first).to_be_visible()
    expect(watched.page.locator(".newer")).to_be_hidden()
    assert watched.said == []
    watched.page.close()


def test_the_outline_leads_to_an_agent_inside_an_agent(stage: Scene) -> None:
    page = stage.open("/s/-home-dev-shop/everything", waits="#passages article").page
    page.evaluate("id => { location.hash = id }", f"step-{INNER}")
    inner = page.locator(f"[id='step-{INNER}']")

    expect(inner.locator("> details[open]")).to_be_in_viewport()
    expect(inner.locator(".step").first).to_be_visible()
    page.close()


def test_the_outline_names_failures_and_marks_the_turn_that_is_read(page: Page) -> None:
    current = page.locator("#outline a[aria-current=true]")

    expect(page.locator("#outline .is-fail")).to_have_text("pytest exit 1")
    expect(current).to_contain_text("Make the limiter per tenant")
    page.evaluate("document.querySelector('#turn-9').scrollIntoView()")
    expect(current).to_contain_text("prompt 7")
    expect(current).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["story", "everything"])
def test_no_level_keeps_anybody_out(stage: Scene, browser: Browser, name: str, theme: str) -> None:
    axe.source()
    context = browser.new_context(
        bypass_csp=True,
        color_scheme="dark" if theme == "dark" else "light",
        storage_state=stage.context.storage_state(),
    )
    page = context.new_page()
    page.goto(f"{stage.server.site}{ADDRESS}?level={name}")
    page.wait_for_selector("html[data-ready]")
    page.locator("#read .step:visible").first.hover()

    assert axe.violations(page) == ""
    context.close()


def test_without_a_script_levels_are_links_and_folds_open(stage: Scene, browser: Browser) -> None:
    headers = {"authorization": f"Bearer {stage.server.token}"}
    context = browser.new_context(java_script_enabled=False, extra_http_headers=headers)
    page = context.new_page()
    page.goto(stage.server.url + ADDRESS)
    ok = page.locator("#read .step", has_text="navigate")
    page.click("#levels a:text('Story')")
    expect(page.locator("#read")).to_have_attribute("data-level", "story")
    expect(ok).to_be_hidden()
    page.click("#levels a:text('Normal')")
    ok.locator("summary").click()

    expect(ok.locator(".given")).to_be_visible()
    expect(page.locator("#read button.act:visible")).to_have_count(0)
    context.close()
