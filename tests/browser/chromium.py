"""Debian's Chromium, driven: skipped where there is none, unless one is required."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

PATIENCE_MS = 60_000  # more than any machine needs
expect.set_options(timeout=PATIENCE_MS)

# The shell draws the same pages with half the CPU.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
# Quiet: nothing is looked up, nothing is fetched that a test did not ask for.
_ARGS = (
    "--no-sandbox",
    "--no-proxy-server",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--host-resolver-rules=MAP evil.test 127.0.0.1",
    # Not every browser keeps pages from this machine's ports: the server must not need it.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for which `evil.test` is this machine, as after a DNS rebinding."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        if os.environ.get("UNSPOOL_REQUIRE_BROWSER"):
            pytest.fail("no chromium is installed, and UNSPOOL_REQUIRE_BROWSER asks for one")
        pytest.skip("no chromium is installed; Debian's package is chromium-headless-shell")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_ARGS))
        _make_patient(browser)
        try:
            yield browser
        finally:
            browser.close()


def _make_patient(browser: Browser) -> None:
    """Have every page of a browser wait as long as a busy machine may need."""
    make_context, make_page = browser.new_context, browser.new_page

    def context(**given: Any) -> BrowserContext:
        made = make_context(**given)
        made.set_default_timeout(PATIENCE_MS)
        return made

    def page(**given: Any) -> Page:
        made = make_page(**given)
        made.set_default_timeout(PATIENCE_MS)
        return made

    browser.new_context = context  # type: ignore[method-assign]
    browser.new_page = page  # type: ignore[method-assign]
