"""Two hundred hostile texts on the pages, when they are opened and while they are followed."""

from collections.abc import Iterator
from time import sleep

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import hostile
from tests.browser.payloads import PAYLOADS
from tests.browser.scene import Growing, Scene, scene

LISTS = ["/", "/sessions", "/projects", "/search?q=pwned", "/files", "/tools", "/spend", "/health"]
VIEWS = ["context", "waterfall", "tools", "raw"]
BATCH = 24
PLAIN = len(hostile.GROUPS)


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("claude")
    for number, group in enumerate(hostile.GROUPS):
        hostile.save(root, number, group)
    hostile.save(root, PLAIN, [hostile.PLAIN] * 4)
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/sessions", waits="a[href^='/s/']").page.close()
        made.open(f"/s/{hostile.PROJECT}/hostile-{PLAIN}", waits="article").page.close()
        indexed(made)
        yield made


def indexed(made: Scene) -> None:
    """Wait until the index has everything: lists are drawn from it."""
    while made.server.get("/api/index")["lag"]["bytes"]:
        sleep(0.2)


@pytest.fixture(scope="module")
def page(stage: Scene) -> Iterator[Page]:
    made = stage.context.new_page()
    yield made
    made.close()


def opened(stage: Scene, page: Page, address: str) -> hostile.Seen:
    """A page of the server, all that is folded on it opened and fetched."""
    page.goto(stage.server.site + address)
    page.wait_for_selector("html[data-ready]")
    hostile.unfold(page)
    return hostile.seen(page)


@pytest.fixture(scope="module")
def ours(stage: Scene, page: Page) -> hostile.Seen:
    """A session in which nothing means harm."""
    return opened(stage, page, f"/s/{hostile.PROJECT}/hostile-{PLAIN}")


@pytest.mark.parametrize("number", hostile.some_are_slow())
def test_nothing_of_a_hostile_text_comes_alive_on_a_page(
    stage: Scene, page: Page, ours: hostile.Seen, number: int
) -> None:
    asked = hostile.watched(page, stage.server.site)
    here = opened(stage, page, f"/s/{hostile.PROJECT}/hostile-{number}")

    assert hostile.foreign(here, ours, stage.server.site) + asked == []


@pytest.fixture(scope="module")
def harmless(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """As many sessions in which nothing means harm; a search finds something there, too."""
    root = tmp_path_factory.mktemp("claude")
    for number in range(len(hostile.GROUPS)):
        hostile.save(
            root,
            number,
            [f"pwned {number}.{at} \u202e {hostile.PLAIN}" for at in range(1 if number else 4)],
        )
    with scene(browser, root, tmp_path_factory.mktemp("home")) as made:
        made.open("/sessions", waits="a[href^='/s/']").page.close()
        indexed(made)
        yield made


@pytest.mark.parametrize("address", LISTS)
def test_nor_in_a_list(stage: Scene, harmless: Scene, page: Page, address: str) -> None:
    other = harmless.context.new_page()
    plain = opened(harmless, other, address)
    other.close()
    asked = hostile.watched(page, stage.server.site)
    here = opened(stage, page, address)

    assert hostile.foreign(here, plain, stage.server.site) + asked == []


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_nor_in_another_view_of_a_session(stage: Scene, page: Page, view: str) -> None:
    plain = opened(stage, page, f"/s/{hostile.PROJECT}/hostile-{PLAIN}?view={view}")
    asked, found = hostile.watched(page, stage.server.site), []
    for number in range(0, PLAIN, 6):
        here = opened(stage, page, f"/s/{hostile.PROJECT}/hostile-{number}?view={view}")
        found += hostile.foreign(here, plain, stage.server.site)

    assert found + asked == []


def followed(page: Page, grows: Growing, number: int) -> hostile.Seen:
    """The page once it has all that was written so far."""
    grows.made.user(f"sentinel {number}")
    grows.write()
    page.wait_for_selector(f"main :text-is('sentinel {number}')")
    return hostile.seen(page)


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 8])
def test_nothing_of_a_hostile_text_comes_alive_while_a_session_is_followed(
    stage: Scene, page: Page, ours: hostile.Seen, every: int
) -> None:
    payloads = PAYLOADS[::every]
    grows = Growing(stage.root, f"follows-{every}").turns(0, 1)
    stage.open(grows.address, waits="article").page.close()
    asked = hostile.watched(page, stage.server.site)
    page.goto(stage.server.site + grows.address)
    page.wait_for_selector("html[data-ready]")
    for number in range(2):
        hostile.tell(grows.made, f"plain{number}", hostile.PLAIN)
        ours = hostile.both(ours, followed(page, grows, -1 - number))
    found: set[str] = set()
    for at in range(0, len(payloads), BATCH):
        for number, payload in enumerate(payloads[at : at + BATCH], at):
            hostile.tell(grows.made, f"live{number}", payload)
        found |= {*hostile.foreign(followed(page, grows, at), ours, stage.server.site)}

    # Once there is much, a note says how much stands before it, and the strip what is shown; and
    # whether the session is at work depends on how long all this takes.
    own = "bar-note s-brush s-head s-head-dot st-work st-idle st-prompt".split()
    assert (found | {*asked}) - {f"class {name}" for name in own} == set()
