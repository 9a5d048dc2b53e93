"""The board for five minutes with ten sessions that go through every state: nothing moves.

`python -m benchmarks.board`; it needs Debian's chromium. UNSPOOL_BOARD_SECONDS says how long (300).
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.budgets import Figure, table
from benchmarks.programs import chromium
from benchmarks.serving import Site, site
from unspool.demo.generator.live import LiveContext, RunningSession
from unspool.demo.generator.tools import ToolCallData
from unspool.demo.generator.words import Ids

SESSIONS: Final = 10
# Every layout shift from now on, and where each row is, five times a second.
WATCH: Final = """() => {
  const seen = window.seen = { shift: 0, sources: [], places: {}, states: {}, looks: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      seen.shift += entry.value;
      const names = entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName);
      seen.sources.push(`${entry.value.toFixed(4)} ${names}`);
    }
  }).observe({ type: "layout-shift" });
  const look = () => {
    seen.looks += 1;
    for (const row of document.querySelectorAll("#slots > .slot")) {
      const top = Math.round(row.getBoundingClientRect().top + scrollY);
      (seen.places[row.id] ??= []).includes(top) || seen.places[row.id].push(top);
      seen.states[row.className.split("is-")[1]] = true;
    }
  };
  look();
  setInterval(look, 200);
}"""


class BusySession:
    """A session that works, asks, waits, stops at a limit and fails, one step after the other."""

    def __init__(self, root: Path, number: int, pid: int) -> None:
        ids = Ids(Random(number))  # noqa: S311 - seeded
        around = LiveContext(root, pid, lambda: datetime.now(UTC))  # noqa: TID251 - as it is written
        name = f"busy-{number:02}"
        self._running = RunningSession(around, ids, name, f"/home/dev/project-{number}")
        self._number, self._count, self._is_over = number, 0, False
        steps: Sequence[Callable[[], object]] = (
            self.works, self.asks, self.goes_on, self.questions, self.stops, self.works,
            self.meets_limit, self.works, self.fails, self.works, self.stops,
        )  # fmt: skip
        self._steps = cycle(steps)
        for _ in range(number % len(steps)):  # they are not all in the same state
            next(self._steps)
        self.works()

    def step(self) -> None:
        """Do the next thing."""
        next(self._steps)()

    def ends(self) -> None:
        """End for good, if it has not yet."""
        if not self._is_over:
            self._running.ends()
        self._is_over = True

    def _call(self, name: str, **given: object) -> ToolCallData:
        self._count += 1
        call = ToolCallData(f"toolu_{self._number}_{self._count}", name, given, "ok", None)
        self._running.calls(name, id=call.id, **given)
        return call

    def works(self) -> None:
        """Take a prompt, and call a command."""
        self._running.stands("busy")
        self._running.user(f"step {self._count} of {self._number}" * (1 + self._count % 3))
        long = " --and-more" * (self._count % 9)
        self._open = self._call("Bash", command=f"make part-{self._count}{long}")

    def asks(self) -> None:
        """Ask for approval of that command."""
        self._running.hook("PermissionRequest", self._open)
        self._running.stands("waiting", waitingFor="permission to use Bash")

    def goes_on(self) -> None:
        """Get it, and edit a file."""
        self._running.stands("busy")
        self._running.hook("PostToolUse", self._open)
        self._running.returns("done", call=self._open.id)
        self._open = self._call("Edit", file_path=f"/src/{'deep/' * (self._count % 7)}a.py")

    def questions(self) -> None:
        """Ask a question."""
        asked = {"question": f"Keep the old files of part {self._count}?", "options": []}
        call = self._call("AskUserQuestion", questions=[asked])
        self._running.hook("PermissionRequest", call)
        self._running.stands("waiting", waitingFor="an answer")

    def stops(self) -> None:
        """Answer; it is the user's turn."""
        self._running.says("Part by part it is done. " * (1 + self._count % 4))
        self._running.hook("Stop")
        self._running.stands("idle")

    def meets_limit(self) -> None:
        """Stop at a usage limit."""
        self._running.synthetic("You've hit your limit · resets 11pm (UTC)", error="rate_limit")
        self._running.stands("idle")

    def fails(self) -> None:
        """Stop with an error of the API."""
        self._running.synthetic("API Error: 529 Overloaded", error="overloaded_error")
        self._running.stands("idle")


@contextmanager
def busy_sessions(root: Path, count: int = SESSIONS, first: int = 0) -> Iterator[list[BusySession]]:
    """So many, each with a process that lives."""
    command = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    others = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(count)]  # noqa: S603
    sessions = [BusySession(root, number, one.pid) for number, one in enumerate(others, first)]
    try:
        yield sessions
    finally:
        for session, one in zip(sessions, others, strict=True):
            session.ends()
            one.communicate(b"")


@contextmanager
def playing(sessions: Sequence[BusySession], pause: float = 0.25) -> Iterator[None]:
    """One after the other does its next thing, for as long as the block lasts."""
    stop = Event()

    def play() -> None:
        for one in cycle(sessions):
            if stop.wait(pause):
                return
            one.step()

    thread = Thread(target=play, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def measured(place: Path) -> list[Figure]:
    """Layout shift and rows that moved, wide and on a phone."""
    root = place / "root"
    (root / "projects").mkdir(parents=True)
    with (
        busy_sessions(root) as sessions,
        site(root, place) as here,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        context = browser.new_context()
        page = context.new_page()
        page.goto(here.open)
        page.wait_for_selector("header.top")
        pages = {name: _opened(context.new_page(), here, *size) for name, size in _SIZES.items()}
        with playing(sessions):
            page.wait_for_timeout(_seconds() * 1_000)
        figures = [figure for name, one in pages.items() for figure in _figures(name, one)]
        browser.close()
    return figures


_SIZES: Final = {"1440": (1440, 900), "390": (390, 844)}


def _opened(page: Page, here: Site, width: int, height: int) -> Page:
    page.set_viewport_size({"width": width, "height": height})
    for _ in range(100):
        page.goto(f"{here.pages}/")
        if page.locator("#slots > .slot").count() == SESSIONS:
            break
        page.wait_for_timeout(200)
    page.wait_for_selector("html[data-ready]")
    page.evaluate(WATCH)
    return page


def _figures(name: str, page: Page) -> list[Figure]:
    seen = page.evaluate("window.seen")
    moved = sum(len(places) > 1 for places in seen["places"].values())
    note = f"{seen['looks']} looks, states {' '.join(sorted(seen['states']))}"
    return [
        Figure(f"board at {name}: layout shift", seen["shift"], "", 0.05, 0, note=note),
        Figure(f"board at {name}: rows that moved", moved, "", 0),
    ]


def _seconds() -> float:
    return float(os.environ.get("UNSPOOL_BOARD_SECONDS", "300"))


def _main() -> None:
    with TemporaryDirectory(prefix="unspool-board-") as scratch:
        for name in ("HOME", "CLAUDE_CONFIG_DIR", "UNSPOOL_HOME"):
            os.environ[name] = str(Path(scratch, name.lower()))
        print(table(measured(Path(scratch))))


if __name__ == "__main__":
    _main()
