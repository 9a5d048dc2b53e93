"""The address that a server printed -> its board, in a browser that was never there."""

from time import monotonic
from typing import Any, NamedTuple

from tests.browser.chromium import chromium


class FirstBoard(NamedTuple):
    """What a newcomer gets."""

    at: float  # when its rows were there, by the monotonic clock
    rows: int
    health: dict[str, Any]
    address: str  # of the page, once the browser was let in
    note: str
    complaints: list[str]  # of the console, of scripts, and requests that failed


def first_board(address: str) -> FirstBoard:
    """Open what was printed; another page after it shows that the browser stays signed in."""
    site, complaints = address.partition("/enter#")[0], list[str]()
    with chromium() as browser:
        context = browser.new_context()
        context.on(
            "console",
            lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None,
        )
        context.on("weberror", lambda one: complaints.append(str(one.error)))
        context.on("requestfailed", lambda one: complaints.append(f"{one.url}: {one.failure}"))
        context.on(
            "response",
            lambda one: complaints.append(f"{one.url}: {one.status}") if one.status > 399 else None,
        )
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("#slots > .slot")
        at = monotonic()
        page.wait_for_selector("html[data-ready]")
        other = context.new_page()
        other.goto(f"{site}/sessions")
        other.wait_for_selector("#list tr[id]")
        return FirstBoard(
            at=at,
            rows=page.locator("#slots > .slot").count(),
            health=page.evaluate("fetch('/api/health').then((answer) => answer.json())"),
            address=page.url,
            note=page.inner_text("#demo"),
            complaints=complaints,
        )
