"""HTML put into a page: what the reader holds in their hands stays as they have it."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.bench import bench

MORPH = """async ([fresh, keeps]) => {
  const { parsed, morph } = await import("/static/js/html.js");
  morph(document.querySelector("main > *"), parsed(fresh).firstElementChild, keeps);
}"""


@pytest.fixture
def morphed(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A page whose first element was made what another one is, after something was done to it."""
    made: list[Page] = []

    def morph(old: str, fresh: str, do: str = "", *, keeps: bool = False) -> Page:
        page = bench(browser, old)
        made.append(page)
        page.evaluate(f"() => {{ window.first = document.querySelector('main *'); {do} }}")
        page.evaluate(MORPH, [fresh, keeps])
        return page

    yield morph
    for page in made:
        page.close()


def inner(page: Page) -> str:
    return page.evaluate("document.querySelector('main').innerHTML")  # type: ignore[no-any-return]


LISTS = [
    ("abc", "abc"),
    ("abc", "abcd"),
    ("abc", "cba"),
    ("abc", "xbz"),
    ("abcd", "bd"),
    ("", "ab"),
    ("ab", ""),
    ("abcdef", "faebdc"),
]


@pytest.mark.parametrize(("before", "after"), LISTS)
@pytest.mark.parametrize("space", ["", "\n"])
def test_a_list_becomes_the_new_list(
    morphed: Callable[..., Page], before: str, after: str, space: str
) -> None:
    def listed(ids: str) -> str:
        return f"<ul>{space.join(f'<li id={id}>{id}' for id in ids)}</ul>"

    page = morphed(listed(before), listed(after))

    assert page.locator("li").all_text_contents() == [
        text + (space if n < len(after) - 1 else "") for n, text in enumerate(after)
    ]


def test_text_without_ids_becomes_the_new_text(morphed: Callable[..., Page]) -> None:
    page = morphed("<p class=a>one <b>two</b></p>", "<p title=x>uno <i>due</i> tre</p>")

    assert inner(page) == '<p title="x">uno <i>due</i> tre</p>'


def test_details_that_the_reader_opened_stay_open(morphed: Callable[..., Page]) -> None:
    details = "<div><details id=d><summary>s</summary>{}</details></div>"
    do = "document.querySelector('details').open = true"
    page = morphed(details.format("old"), details.format("new"), do)

    assert page.evaluate("document.querySelector('details').open")
    assert "new" in inner(page)


def test_details_that_the_reader_closed_stay_closed(morphed: Callable[..., Page]) -> None:
    details = "<div><details id=d open><summary>s</summary>{}</details></div>"
    do = "document.querySelector('details').open = false"
    page = morphed(details.format("old"), details.format("new"), do)

    assert not page.evaluate("document.querySelector('details').open")


def test_a_row_that_moves_keeps_the_focus(morphed: Callable[..., Page]) -> None:
    old = "<ul><li id=a><a href=#a>a</a><li id=b><a href=#b>b</a></ul>"
    fresh = "<ul><li id=new>n<li id=b><a href=#b>b</a><li id=a><a href=#a>A</a></ul>"
    page = morphed(old, fresh, "document.querySelector('[href=\"#b\"]').focus()")

    assert page.evaluate("document.activeElement.textContent") == "b"


def test_words_the_reader_selected_stay_selected(morphed: Callable[..., Page]) -> None:
    do = "getSelection().selectAllChildren(document.getElementById('a'))"
    page = morphed(
        "<div><p id=a>words</p></div>", "<div><p id=a>words</p><p id=b>new</p></div>", do
    )

    assert page.evaluate("String(getSelection())") == "words"


def test_what_stays_is_the_same_element(morphed: Callable[..., Page]) -> None:
    page = morphed("<ul><li id=a>1</ul>", "<ul><li id=z>0<li id=a>2</ul>")

    assert page.evaluate("first.isConnected && first === document.querySelector('ul')")


def test_a_part_that_was_opened_stays(morphed: Callable[..., Page]) -> None:
    part = "<div><load-part {} data-src=/x>{}</load-part>{}</div>"
    page = morphed(part.format("data-loaded", "long text", 1), part.format("", "Show all", 2))

    assert (
        inner(page) == '<div><load-part data-loaded="" data-src="/x">long text</load-part>2</div>'
    )


SLABS = ["<div><p id=s1>a</p><p id=s2>b</p></div>", "<div><p id=s1 data-folded>…</p></div>"]


def test_nothing_folds_or_vanishes_under_a_reader(morphed: Callable[..., Page]) -> None:
    page = morphed(*SLABS, keeps=True)

    assert inner(page) == '<div><p id="s1">a</p><p id="s2">b</p></div>'


def test_what_a_follower_has_behind_them_folds(morphed: Callable[..., Page]) -> None:
    page = morphed(*SLABS)

    assert inner(page) == '<div><p id="s1" data-folded="">…</p></div>'


def test_rows_with_places_of_their_own_are_changed_added_below_and_never_taken_away(
    morphed: Callable[..., Page],
) -> None:
    old = "<ol data-slots><li id=a>1</li><li id=b>2</li><li id=c>3</li></ol>"
    fresh = (
        "<ol data-slots><li id=d>4</li><li id=c>5</li><li id=a>1</li><li id=e data-rest>6</li></ol>"
    )
    page = morphed(old, fresh, do="document.getElementById('c').mine = 1")

    rows = "[...document.querySelectorAll('li')].map((row) => row.id + row.textContent)"
    assert page.evaluate(rows) == ["a1", "b2", "c5", "d4"]
    assert page.evaluate("document.getElementById('c').mine")
    assert page.locator("[data-absent]").get_attribute("id") == "b"
