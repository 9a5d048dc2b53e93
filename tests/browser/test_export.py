"""An exported file says what the page says, step by step; only the ways to other places differ."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.scene import Scene, scene
from tests.show.everything import everything

# What a reader sees of each step, but for ways to what only a server has.
_TEXTS = """() => {
  const texts = {};
  for (const step of document.querySelectorAll('[id^="step-"], article.turn')) {
    const copy = step.cloneNode(true);
    copy.querySelectorAll('button, .btn, .cutline a').forEach(one => one.remove());
    texts[step.id] = copy.textContent.split(/\\s+/).filter(x => x).join(' ');
  }
  return texts;
}"""
_OPEN = """() => {
  document.querySelectorAll('main details').forEach(fold => { fold.open = true });
  document.querySelectorAll('load-part').forEach(part => { part.load() });
}"""


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    everything(root)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture(scope="module")
def page(stage: Scene) -> Page:
    """The page, all that is fetched when it is opened fetched."""
    made = stage.open("/s/-home-dev-shop/everything", waits="article img.shot").page
    for _ in range(4):  # so deep agents are nested
        made.evaluate(_OPEN)
        made.wait_for_selector("main:not(:has(load-part[aria-busy]))")
    return made


@pytest.fixture(scope="module")
def file(stage: Scene, page: Page, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """What the page's own button gives."""
    with page.expect_download() as download:
        page.click("a[download][href*='format=html']")
    path = tmp_path_factory.mktemp("file") / "a.html"
    download.value.save_as(path)
    made = stage.context.new_page()
    made.goto(path.as_uri())
    made.evaluate(_OPEN)
    yield made
    made.close()


def test_the_file_says_of_each_step_what_the_page_says(page: Page, file: Page) -> None:
    there, here = page.evaluate(_TEXTS), file.evaluate(_TEXTS)

    assert list(here) == list(there)
    assert {id: (there[id], text) for id, text in here.items() if there[id] != text} == {}
    assert len(here) > 40


def test_the_file_has_the_same_head_and_outline(page: Page, file: Page) -> None:
    # Diffs beside the column are fetched: in the file an edit leads to its step.
    page.evaluate("document.querySelectorAll('.fedit').forEach(fold => { fold.open = false })")
    for part in ("h1", "#outline", "#instruments"):
        assert file.inner_text(part) == page.inner_text(part)


def test_every_way_in_the_file_leads_to_a_place_in_it(file: Page) -> None:
    lost = file.evaluate(
        """() => [...document.querySelectorAll('a[href^="#"]')]
          .map(a => decodeURIComponent(a.getAttribute('href').slice(1)))
          .filter(id => id && !document.getElementById(id))"""
    )

    assert lost == []


def test_the_file_reads_without_scripts_and_asks_for_nothing(
    browser: Browser, file: Page, tmp_path: Path
) -> None:
    path, asked = tmp_path / "a.html", []
    path.write_text(file.content())
    with browser.new_context(java_script_enabled=False, offline=True) as context:
        plain = context.new_page()
        plain.on("request", lambda one: asked.append(one.url))
        plain.goto(path.as_uri())

        assert plain.is_visible("text=Go on then.")
        assert [one for one in asked if not one.startswith("data:")] == [path.as_uri()]
