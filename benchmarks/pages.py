"""Pages in a real browser: painted, jumped in, followed; alone, and while 1,000 lines are written.

`python -m benchmarks.pages`; it needs Debian's chromium. UNSPOOL_PAGES_SECONDS says for how long
lines are written (15).
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import gmtime, monotonic, sleep, strftime
from time import time_ns as now_ns  # noqa: TID251 - the browser's clock, too
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.budgets import Figure, table
from benchmarks.live import written
from benchmarks.making import long_session
from benchmarks.programs import chromium
from benchmarks.serving import Site, long, site
from unspool.demo import Transcript

_LOADS, _JUMPS, _APPENDS = 9, 20, 80
_SESSIONS, _RATE = 200, 1_000
_LONG, _LARGE = "/s/-home-dev-long/long", "/s/-home-dev-large/large"
PAINTED = """() => new Promise((resolve) => {
  const found = () => performance.getEntriesByName("first-contentful-paint")[0];
  const look = () => (found() ? resolve(found().startTime) : setTimeout(look, 5));
  look();
})"""
ANSWERED = """() => {
  const [one] = performance.getEntriesByType("navigation");
  return one.responseEnd - one.requestStart;
}"""
_JUMP = """async (id) => {
  const begun = performance.now();
  location.hash = `#step-${id}`;
  for (;;) {
    await new Promise(requestAnimationFrame);
    const box = document.querySelector(`[data-target][id="step-${id}"]`)?.getBoundingClientRect();
    if (box && box.bottom > 0 && box.top < innerHeight) return performance.now() - begun;
    if (performance.now() - begun > 10_000) return 10_000;
  }
}"""
_WATCH = """() => {
  window.late = {};
  const old = new Set();
  const read = document.getElementById("read");
  const look = () => {
    const now = performance.timeOrigin + performance.now();
    for (const [, stamp] of read.textContent.matchAll(/at (\\d{13})\\./g))
      if (!old.has(stamp)) window.late[stamp] ??= now - Number(stamp);
  };
  look();
  Object.keys(window.late).forEach((stamp) => old.add(stamp));
  window.late = {};
  const every = { childList: true, subtree: true, characterData: true };
  new MutationObserver(look).observe(read, every);
}"""


class Talk:
    """A session that is being written; each answer says when."""

    def __init__(self, root: Path, name: str) -> None:
        self._made = Transcript(name, cwd="/home/dev/talk", start=strftime("%FT%TZ", gmtime()))
        self._path = self._made.path_in(root)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._size = self._count = 0
        self.address = f"/s/-home-dev-talk/{name}"

    def write(self) -> None:
        """Add one line: mostly an answer, sometimes a prompt."""
        said = f"at {now_ns() // 1_000_000}. " + "words enough to be one line " * 8
        self._made.user(said) if self._count % 10 == 0 else self._made.says(said)
        self._count += 1
        data = self._made.bytes()
        with self._path.open("ab") as file:
            file.write(data[self._size :])
        self._size = len(data)


def measured(place: Path) -> list[Figure]:
    """All of it, with one server and one browser."""
    root = place / "root"
    long(root)
    long_session(root / "projects" / "-home-dev-large" / "large.jsonl", 100)
    busy = written(root, _SESSIONS)
    with site(root, place) as running, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        context = entered(browser.new_context(viewport={"width": 1280, "height": 800}), running)
        figures = [
            *_large(context, running),
            *_painted(context, running),
            *_jumped(context, running, _steps(running)),
            *_told(context, running, root, "idle"),
        ]
        with _flood(root, len(busy)):
            sleep(2.0)
            figures += _told(context, running, root, f"{_RATE:,} lines/s")
        browser.close()
    return figures


def entered(context: BrowserContext, running: Site) -> BrowserContext:
    """A browser that the server has let in."""
    page = context.new_page()
    page.goto(running.open)
    page.wait_for_selector("header.top")
    page.close()
    return context


def _steps(running: Site) -> list[str]:
    asked = Request(  # noqa: S310 - our own server
        f"{running.url}/api/sessions/-home-dev-long/long", headers={"Authorization": running.bearer}
    )
    with urlopen(asked) as answer:  # noqa: S310
        document = json.load(answer)
    kinds = ("tool_call", "output")
    steps = [step for chunk in document["chunks"] for step in chunk.get("steps", ())]
    return [step["id"] for step in steps if step["type"] in kinds]


def _painted(context: BrowserContext, running: Site) -> list[Figure]:
    times = sorted(load(context, running.pages + _LONG, PAINTED) for _ in range(_LOADS))
    answers = sorted(load(context, running.pages + _LONG, ANSWERED) for _ in range(_LOADS))
    note = f"median {median(times):.0f}, server {answers[0]:.0f} ms"
    return [Figure("page: 10,000 steps, painted", times[0], "ms", 250, 120, note=note)]


def load(context: BrowserContext, address: str, asked: str) -> float:
    """Open a page and ask it for a number."""
    page = context.new_page()
    page.goto(address)
    found: float = page.evaluate(asked)
    page.close()
    return found


def _large(context: BrowserContext, running: Site) -> list[Figure]:
    page = context.new_page()
    page.goto(running.pages + _LARGE)
    first: float = page.evaluate(PAINTED)
    page.wait_for_selector("#outline li")  # which needs all of it
    whole: float = page.evaluate("performance.now()")
    page.close()
    again = [load(context, running.pages + _LARGE, ANSWERED) for _ in range(_LOADS)]
    note = f"median {median(again):.0f} ms"
    return [
        Figure("page: 100 MB, painted first", first / 1_000, "s", 1.2, 0.7),
        Figure("page: 100 MB, all of it told", whole / 1_000, "s"),
        Figure("page: 100 MB, answered again", min(again), "ms", 30, 10, note=note),
    ]


def _jumped(context: BrowserContext, running: Site, steps: Sequence[str]) -> list[Figure]:
    page, chance = context.new_page(), Random(3)  # noqa: S311 - seeded
    page.goto(running.pages + _LONG)
    page.wait_for_load_state("networkidle")
    times = [page.evaluate(_JUMP, chance.choice(steps)) for _ in range(_JUMPS)]
    page.close()
    note = f"median {median(times):.0f}, least {min(times):.0f} ms"
    return [Figure("page: jump to any of 10,000 steps", max(times), "ms", 300, note=note)]


def _told(context: BrowserContext, running: Site, root: Path, name: str) -> list[Figure]:
    page, talk = context.new_page(), Talk(root, f"talk-{len(name)}")
    talk.write()
    _arrive(page, f"{running.pages}{talk.address}#latest")
    page.evaluate(_WATCH)
    chance, until = Random(4), monotonic() + _seconds()  # noqa: S311 - seeded
    count = 0
    while count < _APPENDS or monotonic() < until:
        talk.write()
        count += 1
        page.wait_for_timeout(chance.uniform(100, 250))
    page.wait_for_timeout(3_000)
    return _late(page, name, count)


def _arrive(page: Page, address: str) -> None:
    """Open a page that follows its session, which may not be known at once."""
    for _ in range(60):
        answer = page.goto(address)
        if answer and answer.ok and page.query_selector("#passages article"):
            page.wait_for_selector("#read[data-following]")
            return
        page.wait_for_timeout(250)
    raise RuntimeError(f"{address} never came")


def _late(page: Page, name: str, count: int) -> list[Figure]:
    late = page.evaluate("Object.values(window.late)")
    nodes = page.evaluate("document.querySelectorAll('*').length")
    page.close()
    cuts = quantiles(late, n=100) if len(late) > 1 else [1e9] * 99
    note = f"{len(late)} of {count}, least {min(late, default=0):.0f} ms"
    return [
        Figure(f"append -> page, {name}: p50", cuts[49], "ms", 80, 50, note=note),
        Figure(f"append -> page, {name}: p99", cuts[98], "ms", 250, 120),
        Figure(f"append -> page, {name}: missing", count - len(late), "", 0),
        Figure(f"append -> page, {name}: elements", nodes, "", 15_000),
    ]


@contextmanager
def _flood(root: Path, count: int) -> Iterator[None]:
    command = [sys.executable, "-m", "benchmarks.pages", str(root), str(count)]
    with subprocess.Popen(command) as writer:  # noqa: S603 - ourselves
        try:
            yield
        finally:
            writer.terminate()


def _pour(root: Path, count: int) -> None:
    sessions, chance = written(root, count), Random(5)  # noqa: S311 - seeded
    begun, number = monotonic(), 0
    while True:
        for _ in range(int((monotonic() - begun) * _RATE) - number):
            chance.choice(sessions).write()
            number += 1
        sleep(0.002)


def _seconds() -> float:
    return float(os.environ.get("UNSPOOL_PAGES_SECONDS", "15"))


def _main() -> None:
    with TemporaryDirectory(prefix="unspool-pages-") as scratch:
        for name in ("HOME", "CLAUDE_CONFIG_DIR", "UNSPOOL_HOME"):
            os.environ[name] = str(Path(scratch, name.lower()))
        found: Any = measured(Path(scratch))
        print(table(found))


if __name__ == "__main__":
    _pour(Path(sys.argv[1]), int(sys.argv[2])) if sys.argv[1:] else _main()
