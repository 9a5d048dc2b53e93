"""Gestures that lead somewhere, on five real sessions: drill-downs, search, palette, days."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.scene import Scene
from tests.browser.test_spool_corpus import KINDS, Session, chosen
from tests.browser.test_spool_corpus import session as session
from tests.browser.test_spool_corpus import stage as stage
from tests.waiting import until

_HIT = "[...(CSS.highlights.get('found-here') ?? [])].map((one) => one.toString())"
# Where it is: the text it is in, by its number on the page, and the place in it.
_WHERE = """() => {
  const [{ startContainer, startOffset }] = CSS.highlights.get("found-here");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let number = 0;
  while (texts.nextNode() !== startContainer) number += 1;
  return [number, startOffset];
}"""
# Whether what is marked is this step, or what this anchor is in, and on the screen.
_IN_SIGHT = """(place) => {
  const found = document.getElementById(decodeURIComponent(place));
  const named = found?.matches(".anchor") ? found.parentElement : found;
  const box = named?.getBoundingClientRect();
  return named && "target" in named.dataset && box.bottom >= 0 && box.top <= innerHeight;
}"""


@pytest.fixture(scope="module")
def sessions(request: pytest.FixtureRequest, corpus: Path) -> dict[str, Path]:
    """Those that the tests of this run ask for, and a second one: the others need no index."""
    found = chosen(corpus)
    if len(found) < len(KINDS):
        pytest.skip(f"the corpus has only {', '.join(found)}")
    names = [one.name for one in request.session.items if one.path == request.path]
    asked = {kind for kind in found if any(f"[{kind}]" in name for name in names)}
    return {kind: file for kind, file in found.items() if kind in {*asked, "agents"}}


@pytest.fixture(scope="module")
def indexed(stage: Scene, sessions: dict[str, Path]) -> Scene:
    """The server, once all of the sessions are in its index."""
    assert until(lambda: len(stage.server.get("/api/sessions")["items"]) == len(sessions))
    assert until(lambda: stage.server.get("/api/health")["lagBytes"] == 0)
    return stage


def lands_on(page: Page, link: Locator) -> None:
    """A click on a link to a step ends with that step marked and in sight."""
    _, _, place = (link.get_attribute("href") or "").partition("#")
    link.click()
    page.wait_for_url(re.compile(f"#{re.escape(place)}$"))
    assert until(lambda: page.evaluate(_IN_SIGHT, place))


class Bar(NamedTuple):
    """A bar of the chart of days: a place inside it, and the days it stands for."""

    x: float
    y: float
    first: str
    last: str


def bars(page: Page) -> list[Bar]:
    """Those on which something was spent."""
    found = page.evaluate(
        """[...document.querySelectorAll("#dayplot > a:has(.seg)")].map((bar) => {
          const box = bar.querySelector(".hit").getBoundingClientRect();
          return [box.x + box.width / 2, box.bottom - 8, bar.dataset.from, bar.dataset.to];
        })"""
    )
    return [Bar(*one) for one in found]


@pytest.fixture
def spend(indexed: Scene) -> Iterator[Page]:
    """The page of a year with something spent; in time the sessions will be older than one."""
    for period in ("365", "all"):
        watched = indexed.open(f"/spend?range={period}", waits="#dayplot a")
        if len(bars(watched.page)) > 1:
            break
        watched.page.close()
    yield watched.page
    assert (watched.said, watched.left) == ([], [])
    watched.page.close()


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if kind == "failures" else pytest.mark.slow) for kind in KINDS],
)
def test_the_total_of_the_year_leads_down_to_one_step_and_back(
    spend: Page, sessions: dict[str, Path], kind: str
) -> None:
    file = sessions[kind]
    project = spend.locator(f"#drill .dp[data-p='{file.parent.name}']")
    project.locator("> summary").click()
    sessions_of = project.locator(".ds")
    expect(sessions_of).to_have_count(1)
    sessions_of.locator("> summary").click()
    turns = project.locator(".dt:has(li a[href*='at='])")
    expect(turns.first).to_be_visible()
    turns.first.locator("> summary").click()
    address = spend.url
    lands_on(spend, turns.first.locator("a[href*='at=']").first)
    assert f"/s/{file.parent.name}/{file.stem}" in spend.url
    spend.go_back()
    spend.wait_for_url(address)

    expect(spend.locator("#dayplot a").first).to_be_visible()


def test_a_drag_over_the_days_chooses_them_and_escape_clears_them(spend: Page) -> None:
    whole, (first, *_, last) = spend.inner_text(".big"), bars(spend)
    spend.mouse.move(first.x, first.y)
    spend.mouse.down()
    spend.mouse.move(last.x, last.y, steps=4)
    expect(spend.locator("#dayplot .brush")).to_have_count(1)
    spend.mouse.up()
    expect(spend.locator("#range")).to_be_visible()

    expect(spend).to_have_url(re.compile(f"from={first.first}&to={last.last}$"))
    assert spend.inner_text(".big") == whole  # these are all days on which anything was spent
    spend.keyboard.press("Escape")
    expect(spend.locator("#range")).to_have_count(0)


def test_keys_walk_the_days_extend_choose_and_clear(spend: Page) -> None:
    whole, last = spend.inner_text(".big"), bars(spend)[-1]
    chosen = spend.locator("#dayplot > a:not(.off)")
    spend.locator(f"#dayplot > a[data-from='{last.first}']").focus()
    spend.keyboard.press("Enter")
    expect(chosen).to_have_count(1)
    assert spend.inner_text(".big") != whole
    spend.keyboard.press("Shift+ArrowLeft")
    expect(chosen).to_have_count(2)
    spend.keyboard.press("Shift+ArrowRight")
    expect(chosen).to_have_count(1)
    spend.keyboard.press("ArrowLeft")
    expect(spend.locator(f"#dayplot > a[data-from='{last.first}']")).not_to_be_focused()
    expect(spend.locator("#dayplot > a:focus")).to_have_count(1)
    expect(spend.locator("#tip")).to_be_visible()

    spend.keyboard.press("Escape")
    expect(spend.locator("#range")).to_have_count(0)
    assert spend.inner_text(".big") == whole


def test_a_cost_leads_to_its_step(session: Session) -> None:
    page = session.page
    turn = page.locator("details.cturn").first
    turn.locator("> summary").click()

    lands_on(page, turn.locator(".csteps a").first)


def test_a_file_leads_to_its_edit_and_the_edit_to_its_step(session: Session) -> None:
    page = session.page
    file = page.locator(".files details").first
    if not file.count():
        pytest.skip("this session has edited no file")
    file.locator("> summary").click()

    edit = file.locator(".fedit").last
    edit.locator("> summary").click()
    expect(edit.locator(".diff, pre").first).to_be_visible()

    lands_on(page, edit.get_by_role("link", name="Link to this step"))


def test_a_column_of_the_context_is_read_and_leads_to_its_step(session: Session) -> None:
    page = session.page
    columns = page.locator("#instruments a.col")
    column = columns.nth(columns.count() // 2)
    box = column.locator("rect").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    told = column.locator("title").text_content() or ""
    assert re.match(r"Turn \d+: [\d.]+[kM]? tokens\. \w", told)
    expect(page.locator("#instruments .readout")).to_have_text(told)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    page.wait_for_url(re.compile(re.escape(column.get_attribute("href") or "") + "$"))
    expect(session.marked()).to_be_in_viewport()


def test_a_line_of_the_outline_leads_to_its_turn(session: Session) -> None:
    lines = session.page.locator("#outline a")

    lands_on(session.page, lines.nth(lines.count() // 2))


def test_an_agent_opens_in_place(session: Session) -> None:
    page = session.page
    agents = page.locator("#instruments section:has(> h2:text('Agents')) a[data-at]")
    if not agents.count():
        pytest.skip("this session has started no agent")
    lands_on(page, agents.first)
    agent = page.locator("#read .step.agent[data-target]")
    agent.locator("> details > summary").click()  # the link has opened it
    expect(agent.locator(".agent-facts").first).to_be_hidden()
    agent.locator("> details > summary").click()

    expect(agent.locator(".agent-facts").first).to_be_visible()
    expect(agent.locator(".step").first).to_be_visible()


def a_word(session: Session) -> str:
    """One that a prompt of the session has."""
    prompts = session.page.locator("#read .you .prose").all_inner_texts()
    words = re.findall(r"\b[a-zA-Z]{5,12}\b", " ".join(prompts))
    return str(max(words, key=len))


def test_a_hit_opens_at_its_word_and_keys_walk_the_marks(session: Session, indexed: Scene) -> None:
    word, about = a_word(session), session.page.url.rpartition("/")[2].partition("?")[0]
    # Of a prompt all is shown; a call may show less than what was found in it.
    page = indexed.open(f"/search?q={word}&session={about}&kind=prompt", waits=".hit").page
    page.locator(".hit").first.click()
    page.wait_for_url(re.compile(rf"/s/.*{about}.*q={word}"))
    page.wait_for_selector("html[data-ready]")
    assert until(lambda: page.evaluate(_HIT))

    assert [one.lower() for one in page.evaluate(_HIT)] == [word.lower()]
    first = page.evaluate(_WHERE)
    if page.evaluate("CSS.highlights.get('found').size") > 1:
        page.keyboard.press("n")
        assert until(lambda: page.evaluate(_WHERE) != first)
        page.keyboard.press("N")
        assert until(lambda: page.evaluate(_WHERE) == first)
    page.close()


def test_the_palette_finds_the_session_and_enter_opens_it(session: Session, indexed: Scene) -> None:
    page = indexed.open("/spend").page
    title = " ".join(session.page.inner_text("h1").split()[:3])
    page.keyboard.press("Control+k")
    page.keyboard.insert_text(title)
    row = page.get_by_role("group", name="Sessions").get_by_role("option").first
    expect(row).to_contain_text(title)
    for _ in range(20):
        if row.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    expect(row).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile(re.escape(session.page.url.partition("?")[0])))
    page.close()
