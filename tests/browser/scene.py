"""A real server over a root that grows, and a browser that it has let in."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import gmtime, strftime
from typing import Any, Self

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.cli.servings import Serving
from unspool.demo import Transcript


class Growing:
    """A transcript that is written as the test goes on."""

    def __init__(self, root: Path, name: str = "grows", cwd: str = "/home/dev/kettle") -> None:
        self.made = Transcript(
            name, cwd=cwd, start=strftime("%FT%TZ", gmtime()), uuid_prefix=f"{name}-"
        )
        self.path = self.made.path_in(root)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.address = f"/s/{self.path.parent.name}/{name}"
        self._size = 0

    def write(self) -> Self:
        """Add what was said since the last time to the file."""
        data = self.made.bytes()
        with self.path.open("ab") as file:
            file.write(data[self._size :])
        self._size = len(data)
        return self

    def turns(self, first: int, last: int) -> Self:
        """Prompts, each with a call and an answer."""
        for n in range(first, last):
            self.made.user(f"prompt {n}").calls("Bash", command=f"echo {n}")
            self.made.returns(f"result {n}\n" * 3).says(f"answer {n}, at last")
        return self.write()


class Scene:
    """A server that can be killed and started again at the same place."""

    def __init__(self, browser: Browser, root: Path, home: Path, **env: str) -> None:
        self.root, self.home = root, str(home)
        self._env: dict[str, Any] = env
        self._port = _free_port()
        self.context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 800})
        self.start()
        page = self.context.new_page()
        page.goto(f"{self.server.site}/enter#t={self.server.code}")
        page.wait_for_selector("header.top")  # the page before one is let in has none
        page.close()

    def start(self, *args: str) -> None:
        """Start the server; by default its pages stay open."""
        port = "--port", str(self._port)
        args = args or ("--keep-token",)
        self.server = Serving(self.root, *port, *args, UNSPOOL_HOME=self.home, **self._env)

    def kill(self) -> None:
        """End it without a word."""
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.communicate()

    def open(self, address: str, *, waits: str = "main") -> "Watched":
        """A page of the server, once it has what it waits for: the index may still be made."""
        page = self.context.new_page()
        watched = Watched(page, self.server.site)
        for _ in range(600):
            answer = page.goto(self.server.site + address)
            if answer and answer.ok and page.query_selector(waits):
                page.wait_for_selector("html[data-ready]")
                return watched
            assert answer is None or answer.status < 500, page.inner_text("body")
            page.wait_for_timeout(100)
            watched.said.clear()
        raise AssertionError(f"{address} never had {waits}: {page.inner_text('body')[:500]}")

    def close(self) -> None:
        """End all of it."""
        self.context.close()
        if self.server.process.poll() is None:
            self.server.process.kill()
        self.server.process.communicate()


class Watched:
    """A page, what it complains of, and whom else it asks."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self._origin = page, origin
        self.said: list[str] = []
        self.left: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(message.text)

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self._origin, "data:")):
            self.left.append(request.url)


@contextmanager
def scene(browser: Browser, root: Path, home: Path) -> Iterator[Scene]:
    """One for as long as the block lasts."""
    made = Scene(browser, root, home)
    try:
        yield made
    finally:
        made.close()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
