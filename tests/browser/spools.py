"""The spool of a page: places on it, ranges, and the steps that lie behind it."""

from typing import Any

from playwright.sync_api import Page

_COLUMNS = "() => fetch(document.getElementById('over').dataset.src).then((one) => one.json())"


def at(page: Page, share: float, selector: str = "#over") -> tuple[float, float]:
    """A place on a spool."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] * share, box["y"] + box["height"] / 2


def drag(page: Page, start: float, end: float) -> None:
    """Choose a range."""
    page.mouse.move(*at(page, start))
    page.mouse.down()
    page.mouse.move(*at(page, end), steps=4)
    page.mouse.up()


def columns(page: Page) -> dict[str, Any]:
    """All steps of the page's session, as its scripts have them."""
    found: dict[str, Any] = page.evaluate(_COLUMNS)
    return found


def current(page: Page) -> str:
    """The element of the step that is being read."""
    number = int(page.get_attribute("#over", "aria-valuenow") or 0)
    place: str = columns(page)["id"][number - 1]
    return place
