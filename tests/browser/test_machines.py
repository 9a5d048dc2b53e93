"""The machines of a hub in a browser: from a machine's name to its sessions."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.hub.processes import HubProcess
from tests.store.made import Source
from unspool.cli import config
from unspool.model.shipping import Envelope, MachineReport
from unspool.store.postgres.logins import LoginTable

WIDTHS = (390, 1440)


def sent(hub: HubDatabase, machine: str, session: str, waiting: int) -> None:
    """A session of a machine that says how it is."""
    source = Source(5, session).line("text").spends("m:" + session)
    source.tells(title=f"of {machine}", cwd="/home/ada/kettle")
    report = MachineReport(
        version="1.2.3",
        platform="Linux-6.1.0-amd64-x86_64-with-glibc2.36",
        waiting_bytes=waiting,
        waiting_at=source.at + 400_000 if waiting else None,
    )
    given = Envelope(
        v=1, sent_at=source.at, mode="redacted", shipments=[shipment(source.batch())], report=report
    )
    hub.writer.accept(hub.machine(machine), given, source.at + 9_000)


@pytest.fixture
def page(browser: Browser, hub: HubDatabase, tmp_path: Path) -> Iterator[Page]:
    """A page of a hub with two machines."""
    sent(hub, "laptop", "s1", 0)
    sent(hub, "build-server-in-the-cellar", "s2", 5_000_000)
    context = browser.new_context()
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        made = context.new_page()
        made.goto(f"{runtime.url}/#t={runtime.token}")
        made.wait_for_selector("header.top")
        yield made
        context.close()


def test_the_name_of_a_machine_leads_to_its_page_and_its_sessions(page: Page) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Machines").click()
    expect(page.locator("h1")).to_have_text("Machines")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody")).to_contain_text("clock 9.0 s behind")
    page.get_by_role("link", name="laptop").click()
    expect(page.locator("h1")).to_have_text("laptop")
    page.get_by_role("link", name="Sessions of this machine").click()

    expect(page.locator("#list .say")).to_contain_text("1 session match")
    expect(page.locator("#list")).to_contain_text("of laptop")
    expect(page.get_by_role("combobox", name="machine")).to_have_value("laptop")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_no_wider_than_its_window(page: Page, width: int, theme: str) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    own = "machines/build-server-in-the-cellar"
    for name in ("machines", "sessions", own, f"{own}?ask=revoke", "machines/audit"):
        page.goto(urljoin(page.url, f"/{name}"))
        expect(page.get_by_text("build-server-in-the-cellar").last).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_machine_is_revoked_once_one_has_said_so_twice(page: Page, hub: HubDatabase) -> None:
    page.goto(urljoin(page.url, "/machines/laptop"))
    page.get_by_role("button", name="New key").click()
    expect(page.locator("pre")).to_contain_text("unspool collect --hub http://localhost:")
    page.goto(urljoin(page.url, "/machines/laptop"))
    page.get_by_role("link", name="Revoke…").click()
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Revoke…").click()
    page.get_by_role("button", name="Revoke laptop").click()

    expect(page.locator("h1")).to_contain_text("revoked")
    expect(page.get_by_role("button", name="New key")).to_have_count(0)
    page.goto(urljoin(page.url, "/machines/audit"))
    expect(page.locator("tbody tr").first).to_contain_text("revoked")


def test_a_link_opens_what_a_member_may_see(
    browser: Browser, hub: HubDatabase, tmp_path: Path
) -> None:
    sent(hub, "laptop", "s1", 0)
    token = hub.person("bob", "member")
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime, bob = process.start(), hub.people.by_token(token)
        assert bob is not None
        code = LoginTable(hub.pool).new_code(bob.owner, config.now())
        context = browser.new_context()
        made = context.new_page()
        made.goto(f"{hub.people.address()}/#t={code}")
        made.get_by_role("navigation", name="Main").get_by_role("link", name="Machines").click()
        expect(made.locator("main")).to_contain_text("The whole team today: 1 machine")
        expect(made.locator("main")).not_to_contain_text("laptop")
        made.get_by_role("button", name="Sign out").click()
        expect(made.locator("main")).to_contain_text("You are signed out")
        made.goto(f"{hub.people.address()}/sessions")
        expect(made.locator("main")).to_contain_text("Open the link that you were given")
        context.close()
        assert runtime.url
