"""From a hook on one machine to the board of the hub, in a browser, with real parts alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.hub_board import WATCH, CollectingMachine, drawn
from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from unspool.cli import config


@pytest.mark.slow
def test_who_waits_on_a_machine_is_on_the_board_of_the_hub(
    browser: Browser,
    hub: HubDatabase,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    machine = CollectingMachine(tmp_path / "machine")
    context = browser.new_context()
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        code = hub.people.new_code(hub.people.people()[0].owner, config.now())
        with machine.collecting(runtime.url, code):
            page = context.new_page()
            page.goto(f"{runtime.url}/#t={runtime.token}")
            expect(page.locator("#pin")).to_contain_text("Nothing is running")
            machine.hook("SessionStart", 0)  # by then it is connected
            expect(page.locator("#slots .slot")).to_have_count(1)
            page.evaluate(WATCH)

            began = machine.hook("PermissionRequest")
            slot = page.locator("#slots .slot")
            expect(slot).to_contain_text("Waiting for you")
            expect(slot).to_contain_text("rm -rf build")
            expect(page.locator("#pin")).to_contain_text("1 waiting for you")
            late = drawn(page, "1", began) - began
            record_property("seconds from the hook to the page", late)
            print(f"from the hook to the page: {late:.3f} s")

            machine.hook("PostToolUse")
            expect(page.locator("#pin")).to_contain_text("0 waiting for you")
            page.goto(f"{runtime.url}/machines")
            expect(page.locator("tbody tr")).to_contain_text("connected")
    context.close()
