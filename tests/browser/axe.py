"""axe-core, which looks at a page as somebody who cannot see it would; it comes from npm."""

import os
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page

_IN_PEERS = "node_modules/axe-core/axe.min.js"
_RUN = """() => axe.run(document, {resultTypes: ['violations']}).then(found =>
  found.violations.flatMap(rule => rule.nodes.map(node =>
    `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary.split('\\n').pop().trim()}`)))"""


@cache
def _path() -> Path:
    named = os.environ.get("UNSPOOL_AXE")
    return Path(named) if named else Path(os.environ.get("UNSPOOL_PEERS", "")) / _IN_PEERS


def source() -> str:
    """The script; a skip where there is none, unless one is required."""
    path = _path()
    if not path.is_file():
        why = f"no axe-core at {path}: npm install axe-core, and say where by UNSPOOL_AXE"
        (pytest.fail if os.environ.get("UNSPOOL_REQUIRE_PEERS") == "1" else pytest.skip)(why)
    return path.read_text()


def violations(page: Page) -> str:
    """What is wrong with a page as it stands, a line each; its policy must have been lifted."""
    # Movement that is not over yet would be seen in the middle of it.
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(source())
    return "\n".join(page.evaluate(_RUN))
