"""A real browser, let in by us, on a page that means harm: it reads and writes nothing."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving

ATTACKS = (Path(__file__).parent / "attacks.js").read_text()
PATHS = ["/", "/api/sessions", "/static/enter.js", "/schema", "/api/dashboard"]


class Scene(NamedTuple):
    """A server, and a browser that its owner has let in."""

    server: Serving
    context: BrowserContext
    home: Path

    @property
    def port(self) -> str:
        return self.server.url.rpartition(":")[2]

    @property
    def name(self) -> str:
        """What its owner's browser calls it."""
        return str(urlsplit(self.server.site).hostname)


@pytest.fixture(scope="module")
def scene(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    place = root(tmp_path_factory.mktemp("claude"), talk())
    home = tmp_path_factory.mktemp("unspool")
    with serving(place, "--port", "0", UNSPOOL_HOME=str(home)) as server:
        context = browser.new_context()
        entered(context, server)
        yield Scene(server, context, home)
        context.close()


def entered(context: BrowserContext, server: Serving) -> Page:
    """A page of ours, opened by the address that was printed."""
    page = context.new_page()
    page.goto(f"{server.site}/sessions#t={server.token}")
    page.wait_for_selector("h1:text('Sessions')")
    while not page.query_selector("tr[id]"):  # the index is being made
        page.wait_for_timeout(100)
        page.reload()
    return page


def hostile(scene: Scene, origin: str) -> Page:
    """A page that lies at an origin; its own document is the only thing that is made up."""
    page = scene.context.new_page()
    document = "<!doctype html><title>evil</title><body>free games"
    page.route(
        f"{origin}/evil", lambda route: route.fulfill(body=document, content_type="text/html")
    )
    page.goto(f"{origin}/evil")
    return page


def written(scene: Scene) -> dict[str, bytes]:
    """All that a visitor could have changed."""
    ours = ("runtime.json", "tokens.json")
    spooled = [path for path in (scene.home / "spool").glob("*") if path.is_file()]
    marks = list(scene.home.glob("state.db"))
    files = [*spooled, *marks, *(scene.home / name for name in ours)]
    return {str(path): path.read_bytes() for path in files}


# Another port of this machine, another site, and another site that has become this machine.
ORIGINS = ("http://localhost:9", "http://evil.test:9", "http://evil.test:{port}")


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "evil.test", "its own"])
def test_a_page_elsewhere_reads_nothing_and_writes_nothing(
    scene: Scene, origin: str, name: str
) -> None:
    page = hostile(scene, origin.format(port=scene.port))
    before, statuses = written(scene), set()
    page.on("response", lambda answer: statuses.add(answer.status))
    name = scene.name if name == "its own" else name  # even to who knows it
    got = page.evaluate(ATTACKS, {"target": f"http://{name}:{scene.port}", "paths": PATHS})

    assert len(got) > 60
    assert {attempt: size for attempt, size in got.items() if size} == {}
    assert statuses
    assert statuses <= {403, 421}
    assert written(scene) == before


def test_a_page_elsewhere_cannot_lead_the_reader_in(scene: Scene) -> None:
    page = hostile(scene, "http://evil.test:9")
    with page.expect_navigation() as moved:
        page.evaluate("url => { location.href = url }", f"{scene.server.site}/")

    assert moved.value
    assert moved.value.status == 403


def test_a_page_elsewhere_has_no_hold_on_a_window_of_ours(scene: Scene) -> None:
    page = hostile(scene, "http://localhost:9")
    with scene.context.expect_page() as opened:
        page.evaluate("url => { window.opened = window.open(url) }", f"{scene.server.site}/")
    opened.value.wait_for_load_state()

    # The browser takes a moment to part the two.
    for _ in range(1_200):
        if page.evaluate("() => window.opened.closed"):
            return
        page.wait_for_timeout(50)
    raise AssertionError("The page elsewhere still holds our window")


def test_the_printed_address_lets_its_reader_in_and_is_wiped(scene: Scene) -> None:
    page = entered(scene.context, scene.server)

    assert page.url == f"{scene.server.site}/sessions"
    assert page.inner_text("tr[id] a >> nth=0") == "alpha prompt of session-one"
    assert page.evaluate("document.cookie") == ""
    (cookie,) = scene.context.cookies()
    assert (cookie["name"], cookie["domain"]) == (f"unspool-{scene.port}", scene.name)
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")


def test_a_page_of_ours_may_ask_and_says_nothing_wrong(scene: Scene) -> None:
    page = scene.context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text))
    page.goto(scene.server.site)
    asked = "async () => (await (await fetch('/api/sessions')).json()).items.length"

    assert page.evaluate(asked) == 1
    assert wrong == []


def test_a_link_to_a_page_deeper_in_survives_the_swap(scene: Scene, browser: Browser) -> None:
    with browser.new_context() as fresh:
        page = fresh.new_page()
        page.goto(f"{scene.server.site}/sessions?status=idle#t={scene.server.token}")
        page.wait_for_selector("h1:text('Sessions')")

        assert page.url == f"{scene.server.site}/sessions?status=idle"


@pytest.mark.parametrize("fragment", ["", "#t=wrong"])
def test_without_the_right_token_there_is_nothing_to_see(
    scene: Scene, browser: Browser, fragment: str
) -> None:
    with browser.new_context() as fresh:
        page = fresh.new_page()
        answer = page.goto(f"{scene.server.site}/{fragment}")
        page.wait_for_selector("p:text('code is wrong')" if fragment else "label:text('Code')")

        assert answer
        assert answer.status == 401
        assert "alpha" not in page.content()


def test_the_right_address_put_into_the_same_tab_lets_its_reader_in(
    scene: Scene, browser: Browser
) -> None:
    with browser.new_context() as fresh:
        page = fresh.new_page()
        page.goto(f"{scene.server.site}/#t=wrong")
        page.wait_for_selector("p:text('code is wrong')")
        page.goto(f"{scene.server.site}/#t={scene.server.token}")

        assert page.wait_for_selector("header.top")


class Careless(BaseHTTPRequestHandler):
    """A server as they come: it answers whoever asks."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self._answer()

    def _answer(self) -> None:
        kind = "text/event-stream" if "stream" in self.headers["accept"] else "text/javascript"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("access-control-allow-origin", self.headers.get("origin", "*"))
        self.send_header("access-control-allow-credentials", "true")
        self.end_headers()
        self.wfile.write(b"data: 1\n\n" if kind == "text/event-stream" else b"1")

    def log_message(self, format: str, *_: object) -> None:
        pass


def test_the_same_page_gets_hold_of_a_server_without_a_door(scene: Scene) -> None:
    """The proof that the attempts above are worth anything."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Careless) as careless:
        serving = Thread(target=careless.serve_forever)
        serving.start()
        page = hostile(scene, "http://evil.test:9")
        target = f"http://localhost:{careless.server_port}"
        got = page.evaluate(ATTACKS, {"target": target, "paths": ["/"]})
        careless.shutdown()
        serving.join()

    kinds = {attempt.split()[0] for attempt, size in got.items() if size}
    assert {"fetch", "script", "module", "stream", "post"} <= kinds
