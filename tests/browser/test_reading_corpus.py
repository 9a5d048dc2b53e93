"""The reading column on five real sessions, where this machine has some."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Scene, scene

pytestmark = pytest.mark.slow
COUNT = 5
# How far below the answer's head its first step begins that is no machine note.
FAR = """() => {
  const answer = document.querySelector("#read .claude");
  const head = answer.querySelector(".who").getBoundingClientRect().bottom;
  const steps = [...answer.querySelectorAll(".step:not(.noise, .machine, :has(> .note))")];
  const real = steps.find((one) => one.checkVisibility());
  return real ? real.getBoundingClientRect().top - head : 0;
}"""


def chosen(corpus: Path) -> list[Path]:
    """Sessions that begin with a hook, one of each repository."""
    found: dict[str, Path] = {}
    for file in sorted(corpus.glob("*/projects/*/*.jsonl")):
        with file.open("rb") as lines:
            begins = lines.read(200_000)
        if b"SessionStart" in begins and b'"type":"assistant"' in begins:
            found.setdefault(file.relative_to(corpus).parts[0], file)
    return list(found.values())[:COUNT]


@pytest.fixture(scope="module")
def sessions(corpus: Path) -> list[Path]:
    found = chosen(corpus)
    if len(found) < COUNT:
        pytest.skip("the corpus has too few sessions that begin with a hook")
    return found


@pytest.fixture(scope="module")
def stage(
    browser: Browser, sessions: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    for file in sessions:
        place = root / "projects" / file.parent.name
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place / file.name)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        origin = made.server.site
        made.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
        yield made


def reads_well(page: Page) -> None:
    assert page.evaluate(FAR) < 90
    for key, level in (("1", "story"), ("3", "everything"), ("2", "normal")):
        page.keyboard.press(key)
        expect(page.locator("#read")).to_have_attribute("data-level", level)
    # Another level is another height: the page may have scrolled, and the spool shrunk above it.
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator("#deck")).not_to_have_class(re.compile("stuck"))
    prompt = page.locator("#read .you").first
    prompt.hover(position={"x": 20, "y": 10})  # the middle of a long one would scroll it away
    prompt.locator("> .gut button").click()
    expect(prompt.locator("> .gut button")).to_have_attribute("data-copied", "yes")
    expect(page.locator("#outline a[aria-current=true]")).to_have_count(1)


@pytest.mark.parametrize("number", range(COUNT))
def test_the_story_of_a_real_session_begins_right_after_its_prompt(
    stage: Scene, sessions: list[Path], number: int
) -> None:
    file = sessions[number]
    address = f"/s/{file.parent.name}/{file.stem}?level=normal"
    watched = stage.open(address, waits="#read .claude")
    reads_well(watched.page)

    assert (watched.said, watched.left) == ([], [])
    watched.page.close()
