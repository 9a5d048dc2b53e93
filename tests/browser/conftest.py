"""One browser for all tests of a module: while it lives, nobody else can run an event loop."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, or a skip that says so."""
    with chromium() as made:
        yield made
