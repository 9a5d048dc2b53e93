"""Search in a browser: counts, hits and their ticks, and words that are marked in a session."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scene import Growing, Scene, scene
from unspool.demo import Transcript

_MARKED = """name => [...(CSS.highlights.get(name) ?? [])].map(one => one.toString())"""


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A long session and a few short ones, all with a bucket in them."""
    root = tmp_path_factory.mktemp("root")
    long = Growing(root, "long").turns(0, 3)
    for n in range(6):
        long.made.user(f"Fill bucket {n}").calls("Bash", command="ls").returns("no pail here")
        long.made.says(f"A Bucket holds {n} litres, and buckets hold more.")
    long.write()
    for n in range(2):
        made = Transcript(f"short-{n}", uuid_prefix=f"short-{n}-")
        made.user("an empty bucket").says("Well.").save(root)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made_scene:
        made_scene.open("/search?q=litres", waits=".hit").page.close()
        yield made_scene


def marked(page: Page, name: str = "found") -> list[str]:
    found: list[str] = page.evaluate(_MARKED, name)
    return found


def test_hits_are_counted_and_kinds_are_filters_without_a_reload(site: Scene) -> None:
    page = site.open("/search?q=bucket", waits=".hit").page
    page.evaluate("window.stays = true")

    expect(page.locator(".sum")).to_have_text("14 hits in 3 sessions")
    page.get_by_role("link", name="Answers 6").click()

    expect(page.locator(".sum")).to_have_text("6 hits in 1 session")
    expect(page.get_by_role("link", name="Prompts 8")).to_be_visible()
    expect(page).to_have_url(f"{site.server.site}/search?q=bucket&kind=answer")
    assert page.evaluate("window.stays")


def test_results_follow_what_is_typed(site: Scene) -> None:
    page = site.open("/search?q=bucket", waits=".hit").page

    page.get_by_role("searchbox", name="Search all sessions").fill("pail")

    expect(page.locator(".sum")).to_have_text("6 hits in 1 session")
    expect(page).to_have_url(f"{site.server.site}/search?q=pail")


def test_n_walks_the_hits_unfolds_what_is_folded_and_enter_opens_one(site: Scene) -> None:
    page = site.open("/search?q=bucket", waits=".hit").page
    long = page.locator(".hitgroup", has=page.get_by_text("9 more in this session"))

    page.locator("h1").click(force=True)
    page.keyboard.press("n")
    first = page.evaluate("document.activeElement.dataset.hit")
    page.keyboard.press("n")
    page.keyboard.press("N")
    assert first == page.evaluate("document.activeElement.dataset.hit")
    long.locator(".hit").nth(2).focus()
    page.keyboard.press("n")

    expect(long.locator("details")).to_have_attribute("open", "")
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/**q=bucket#*")


def test_a_hit_and_its_tick_point_at_each_other(site: Scene) -> None:
    page = site.open("/search?q=bucket", waits=".hit").page
    hit = page.locator(".hit").nth(1)
    tick = page.locator(f'[data-tick="{hit.get_attribute("data-hit")}"]')

    hit.hover()
    expect(tick).to_have_class("on")
    page.locator("h1").dispatch_event("pointerover")
    expect(tick).not_to_have_class("on")
    tick.dispatch_event("pointerover")

    expect(hit).to_have_class("hit on")


@pytest.mark.parametrize("width", [390, 1440])
def test_every_line_of_a_result_shows_its_match(site: Scene, width: int) -> None:
    page = site.open("/search?q=bucket", waits=".hit").page
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('.rest').forEach((one) => (one.open = true))")

    hidden = page.evaluate(
        """[...document.querySelectorAll('.hit')].filter((hit) => {
          const mark = hit.querySelector('mark')?.getBoundingClientRect();
          const box = hit.querySelector('.tx').getBoundingClientRect();
          return !mark || !mark.width || mark.right > box.right + 1 || mark.bottom > box.bottom + 4;
        }).length"""
    )

    assert hidden == 0


def test_the_word_is_marked_where_it_lands_and_n_goes_to_the_next(site: Scene) -> None:
    page = site.open("/search?q=bucket&kind=answer", waits=".hit").page
    page.locator(".hit").first.click()
    page.wait_for_url("**/s/**")
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("CSS.highlights.get('found-here')?.size")

    assert set(map(str.lower, marked(page))) == {"bucket"}
    (here,) = marked(page, "found-here")
    assert here == "Bucket"
    place = "[...CSS.highlights.get('found-here')][0].startContainer.data"
    first = page.evaluate(place)
    page.keyboard.press("N")
    page.wait_for_function(f"(first) => {place} !== first", arg=first)
    page.keyboard.press("n")
    page.wait_for_function(f"(first) => {place} === first", arg=first)


def test_on_a_phone_nothing_beside_the_views_of_a_session_passes_the_edge(site: Scene) -> None:
    page = site.open("/search?q=litres", waits=".hit").page
    page.locator(".hitgroup h2 a").first.click()
    page.wait_for_url("**/s/**")
    page.wait_for_selector("html[data-ready]")
    page.set_viewport_size({"width": 390, "height": 800})
    right = "(css) => document.querySelector(css).getBoundingClientRect().right"

    # Follow is there for a session that runs, Latest where a part of it is shown.
    page.evaluate("document.querySelector('[data-follow]').hidden = false")
    page.evaluate(
        "document.querySelector('.views .tools').append("
        "Object.assign(document.createElement('a'), { className: 'btn', textContent: 'Latest' }))"
    )
    last = page.evaluate(right, ".views .tools .btn:last-child")
    assert last <= page.evaluate(right, "#views")


def test_find_in_session_marks_words_and_not_blocks_on_a_phone_too(site: Scene) -> None:
    page = site.open("/search?q=litres", waits=".hit").page
    page.locator(".hitgroup h2 a").first.click()
    page.wait_for_url("**/s/**")
    page.wait_for_selector("html[data-ready]")
    page.set_viewport_size({"width": 390, "height": 800})

    page.get_by_role("searchbox", name="Find in this session").fill("buckets hold*")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=buckets*")
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("CSS.highlights.get('found')?.size")

    assert set(marked(page)) == {"buckets", "hold"}
    underlined = "getComputedStyle(document.querySelector('.is-hit .prose')).textDecorationLine"
    assert page.evaluate(underlined) == "none"
    expect(page.locator(".hits mark").first).to_be_visible()
