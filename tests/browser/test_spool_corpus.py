"""Every gesture of the spool on five real sessions, where this machine has some."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.scene import Scene, scene
from tests.browser.spools import at, drag

# What a session has, and about how large it is: one of each repository.
KINDS = {
    "failures": (b'"is_error":true', 300_000),
    "agents": (b'"name":"Task"', 900_000),
    "compacted": (b'"compact_boundary"', 1_500_000),
    "edits": (b'"name":"Edit"', 2_300_000),
    "large": (b'"name":"Bash"', 4_200_000),
}
STEPS = "(over) => fetch(over.dataset.src).then((answer) => answer.json())"
NUMBERS = """(ids) => [...document.querySelectorAll("#passages [id^='step-']")]
  .map((one) => ids.indexOf(one.id) + 1).filter(Boolean)"""


def chosen(corpus: Path) -> dict[str, Path]:
    """For each kind the file that is nearest in size."""
    files = {file: file.read_bytes() for file in sorted(corpus.glob("*/projects/*/*.jsonl"))}
    found: dict[str, Path] = {}
    for kind, (sign, size) in KINDS.items():
        known = {file.relative_to(corpus).parts[0] for file in found.values()}
        fit = [
            file
            for file, data in files.items()
            if sign in data and file.relative_to(corpus).parts[0] not in known
        ]
        if fit:
            found[kind] = min(fit, key=lambda file: abs(len(files[file]) - size))
    return found


class Session(NamedTuple):
    """A page with its steps, as the script knows them."""

    page: Page
    steps: dict[str, Any]

    @property
    def over(self) -> Locator:
        return self.page.locator("#over")

    @property
    def now(self) -> int:
        return int(self.over.get_attribute("aria-valuenow") or 0)

    @property
    def said(self) -> str:
        return self.page.inner_text("#say")

    def x(self, number: int) -> float:
        """Where a step is on the spool, as a share of its width."""
        return float(self.steps["x"][number - 1]) / 10_000

    def stretch(self) -> tuple[float, float]:
        """A part of the spool in the middle, from a step to another."""
        xs = sorted(set(self.steps["x"]))
        begin, end = xs[len(xs) // 3] / 10_000, xs[2 * len(xs) // 3] / 10_000
        return begin, max(end, begin + 0.02)

    def marked(self) -> Locator:
        return self.page.locator("[data-target]")

    def after(self, key: str, fits: list[int], what: str) -> None:
        """Press a key that goes to the next of some steps, or says that there is none."""
        later = [number for number in fits if number + 1 > self.now]
        self.page.keyboard.press(key)
        if later:
            expect(self.over).to_have_attribute("aria-valuenow", str(min(later) + 1))
        else:
            expect(self.page.locator("#say")).to_have_text(f"No later {what}")


@pytest.fixture(scope="module")
def sessions(corpus: Path) -> dict[str, Path]:
    found = chosen(corpus)
    if len(found) < len(KINDS):
        pytest.skip(f"the corpus has only {', '.join(found)}")
    return found


@pytest.fixture(scope="module")
def stage(
    browser: Browser, sessions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    for file in sessions.values():
        place = root / "projects" / file.parent.name
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place / file.name)
        if file.with_suffix("").is_dir():
            shutil.copytree(file.with_suffix(""), place / file.stem)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.context.grant_permissions(
            ["clipboard-read", "clipboard-write"], origin=made.server.site
        )
        yield made


@pytest.fixture(
    params=[
        pytest.param(kind, marks=[] if kind == "failures" else pytest.mark.slow) for kind in KINDS
    ]
)
def session(
    request: pytest.FixtureRequest, stage: Scene, sessions: dict[str, Path]
) -> Iterator[Session]:
    file = sessions[request.param]
    watched = stage.open(f"/s/{file.parent.name}/{file.stem}?level=normal", waits="#outline li")
    page = watched.page
    page.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")
    yield Session(page, page.evaluate(STEPS, page.query_selector("#over")))
    assert (watched.said, watched.left) == ([], [])
    page.close()


def test_the_crosshair_reads_and_a_click_goes_there(session: Session) -> None:
    page, tip = session.page, session.page.locator("#over .tip")
    for share in (0.01, 0.35, 0.7, 0.99):
        page.mouse.move(*at(page, share))
        expect(page.locator("#over .hair")).to_be_visible()
        expect(tip).to_contain_text(re.compile(r"step \d+\d\d:\d\d:\d\d|Nothing ran for "))
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()
    for number in (1, len(session.steps["id"]) // 2, len(session.steps["id"])):
        page.evaluate("history.replaceState(null, '', location.pathname); scrollTo(0, 0)")
        expect(page.locator("#deck.stuck")).to_have_count(0)  # else it moves under the mouse
        page.mouse.click(*at(page, min(session.x(number), 0.999)))
        page.wait_for_url(re.compile("#"))
        id = page.evaluate("decodeURIComponent(location.hash.slice(1))")
        assert id in session.steps["id"]
        expect(session.marked()).to_have_id(id)
        expect(session.marked()).to_be_in_viewport()


def test_a_range_filters_everything_can_be_shared_and_is_undone(
    session: Session, stage: Scene
) -> None:
    page = session.page
    turns = page.locator("#outline li").count()
    cost = page.locator("#instruments h2", has_text="Cost").inner_text()
    edits = page.locator(".fedits li").count()
    drag(page, *session.stretch())
    expect(page.locator("#range")).to_contain_text(re.compile(r"\d+ steps? · "))
    expect(page.locator("#over .brush")).to_be_visible()

    first, last = (
        int(page.get_attribute("#range", f"data-{end}") or 0) for end in ("first", "last")
    )
    ends = [session.steps["id"][number - 1].partition("-")[2] for number in (first, last)]
    given = parse_qs(urlsplit(page.url).query)
    assert [given["from"], given["to"]] == [[end] for end in ends]
    shown = page.evaluate(NUMBERS, session.steps["id"])
    assert all(first <= number <= last for number in shown), (first, last, shown)
    assert page.locator("#outline li").count() <= turns
    expect(page.locator("#instruments h2", has_text="Cost")).to_contain_text(" of ")
    steps = [
        int(text.split()[-1])
        for text in page.locator(".fedit > summary > span:first-child").all_text_contents()
    ]
    assert len(steps) <= edits
    assert all(first <= number <= last for number in steps)

    other = stage.open(page.url.removeprefix(stage.server.site), waits="#range p").page
    assert other.inner_text("#range") == page.inner_text("#range")
    assert other.locator("#passages article").count() == page.locator("#passages article").count()
    other.close()

    page.keyboard.press("Escape")
    expect(page.locator("#over .brush")).to_be_hidden()
    assert not {"from", "to"} & parse_qs(urlsplit(page.url).query).keys()
    assert page.locator("#outline li").count() == turns
    assert page.locator("#instruments h2", has_text="Cost").inner_text() == cost


def test_keys_walk_open_copy_and_change_the_level(session: Session) -> None:
    page, steps = session.page, session.steps
    page.keyboard.press("ArrowRight")
    expect(session.over).to_have_attribute("aria-valuenow", "2")
    page.keyboard.press("ArrowLeft")
    expect(session.over).to_have_attribute("aria-valuenow", "1")
    session.after("Shift+ArrowRight", steps["opens"], "turn")
    for key, name, what in (("e", "failed", "error"), ("w", "waits", "wait")):
        session.after(key, steps[name], what)
    page.keyboard.press("E")
    expect(page.locator("#say")).to_have_text(re.compile(r"^(Step \d+ of|No earlier error)"))

    page.keyboard.press("j")
    fold = page.locator("#read :is(.step, .you, .ask):focus-within > details")
    if fold.count():
        before = fold.get_attribute("open")
        page.keyboard.press("o")
        assert fold.get_attribute("open") != before
    page.keyboard.press("c")
    expect(page.locator("#read .gut [data-copied=yes]")).to_have_count(1)
    for key, level in (("1", "story"), ("3", "everything"), ("2", "normal")):
        page.keyboard.press(key)
        expect(page.locator("#read")).to_have_attribute("data-level", level)
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog#keys")).to_be_hidden()


def test_the_playhead_follows_and_a_block_has_its_address(session: Session) -> None:
    page = session.page
    page.mouse.move(600, 700)
    page.mouse.wheel(0, 50_000)
    expect(session.over).not_to_have_attribute("aria-valuenow", "1")
    assert page.locator("#deck.small").count() == 1

    link = page.locator("#read .you > .gut a[data-permalink]").first
    page.evaluate("(link) => link.click()", link.element_handle())
    id = page.evaluate("decodeURIComponent(location.hash.slice(1))")
    assert id in session.steps["id"]
    expect(session.marked()).to_have_id(id)
