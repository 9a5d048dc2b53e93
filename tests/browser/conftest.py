"""One browser for tests in a row: while it lives, nobody else can run an event loop."""

from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import chromium

_HERE = Path(__file__).parent
_running = pytest.StashKey[tuple[ExitStack, Browser]]()


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Browser:
    """Chromium, or a skip that says so; tests share it and make contexts of their own."""
    stash = request.config.stash
    if _running not in stash:
        stack = ExitStack()
        stash[_running] = stack, stack.enter_context(chromium())
    return stash[_running][1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Close the browser before a test that is not of this directory."""
    done = yield
    stash = item.config.stash
    is_last = nextitem is None or not nextitem.path.is_relative_to(_HERE)
    if is_last and _running in stash:
        stash[_running][0].close()
        del stash[_running]
    return done
