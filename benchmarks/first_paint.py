"""Pages of a reader's own size: a real session, a list of 2,000 sessions, a range of 10,000 steps.

`python -m benchmarks.first_paint`; it needs Debian's chromium. The session of about
4 MB is one of the corpus of published Claude roots (UNSPOOL_CORPUS, else where tests look), and
the rows say so; where there is none, one of 20 MB is generated.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.budgets import Figure, table
from benchmarks.making import long_session
from benchmarks.pages import ANSWERED, PAINTED, entered, load
from benchmarks.programs import chromium
from benchmarks.scale import sessions
from benchmarks.serving import Site, long, site
from unspool.cli import config

_LOADS, _RANGES, _SESSIONS = 9, 9, 2_000
_SIZE = 4_000_000
_GENERATED = 20  # megabytes, the least that is made
_CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
_LONG, _LIST = "/s/-home-dev-long/long", "/sessions"
# From the release of the pointer until the frame that has the first steps of the range, and until
# the one that has all of it.
_WATCH = """() => {
  window.brushed = [];
  addEventListener("pointerup", () => window.brushed.push([performance.now()]), true);
  document.addEventListener("replaced", () => requestAnimationFrame(() => {
    const times = window.brushed.at(-1);
    times.push(performance.now() - times[0]);
  }));
}"""
# All of it, and what came before the first paint.
_BYTES = """() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const every = performance.getEntriesByType("navigation")
    .concat(performance.getEntriesByType("resource"));
  const sum = (some) => some.reduce((kilobytes, one) => kilobytes + one.transferSize / 1000, 0);
  return [every, every.filter((one) => one.responseEnd <= paint.startTime)].map(sum);
}"""


def measured(place: Path) -> list[Figure]:
    """All of it, with one server and one browser."""
    root = place / "root"
    long(root)
    name, address = _session(root)
    sessions(root, _SESSIONS, datetime.fromtimestamp(config.now() / 1_000, UTC))
    with site(root, place) as running, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        window = {"width": 1440, "height": 900}
        context = entered(browser.new_context(viewport=window), running)  # type: ignore[arg-type]
        figures = [
            *_painted(context, running, name, address, 400),
            *_transferred(
                browser.new_context(storage_state=context.storage_state()), running, name, address
            ),
            *_painted(context, running, f"list of {_SESSIONS:,} sessions", _LIST, 500),
            *_brushed(context, running),
        ]
        browser.close()
    return figures


def _session(root: Path) -> tuple[str, str]:
    """What a session of about 4 MB is called, and its address."""
    corpus = Path(os.environ.get("UNSPOOL_CORPUS") or _CORPUS)
    files = sorted(corpus.glob("*/projects/*/*.jsonl"))
    if not files:
        long_session(root / "projects" / "-home-dev-made" / "made.jsonl", _GENERATED)
        return f"generated session of {_GENERATED} MB", "/s/-home-dev-made/made"
    file = min(files, key=lambda one: abs(one.stat().st_size - _SIZE))
    place = root / "projects" / file.parent.name
    place.mkdir(parents=True)
    shutil.copyfile(file, place / file.name)
    if file.with_suffix("").is_dir():
        shutil.copytree(file.with_suffix(""), place / file.stem)
    size = file.stat().st_size / 1e6
    return f"real session of {size:.1f} MB", f"/s/{file.parent.name}/{file.stem}"


def _painted(
    context: BrowserContext, running: Site, name: str, address: str, must: float
) -> Iterator[Figure]:
    times = [load(context, running.pages + address, PAINTED) for _ in range(_LOADS)]
    answers = [load(context, running.pages + address, ANSWERED) for _ in range(_LOADS)]
    note = f"median {median(times):.0f}, first {times[0]:.0f}, server {min(answers):.0f} ms"
    yield Figure(f"page: {name}, painted", min(times), "ms", must, note=note)


def _transferred(
    context: BrowserContext, running: Site, name: str, address: str
) -> Iterator[Figure]:
    """With nothing in the browser's cache."""
    page = context.new_page()
    page.goto(running.pages + address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_load_state("networkidle")
    whole, first = page.evaluate(_BYTES)
    context.close()
    yield Figure(f"page: {name}, transferred before the paint", first, "kB", 150)
    yield Figure(f"page: {name}, transferred in all", whole, "kB", 150)


def _brushed(context: BrowserContext, running: Site) -> Iterator[Figure]:
    page = context.new_page()
    page.goto(running.pages + _LONG)
    page.wait_for_selector("#over[aria-valuenow]:not([aria-valuemax='1'])")
    page.evaluate(_WATCH)
    for number in range(_RANGES):
        _drag(page, 0.05 + number * 0.1, 0.1 + number * 0.1)
        while page.evaluate("window.brushed.at(-1).length") <= 2:
            page.wait_for_timeout(5)
    times = page.evaluate("window.brushed")
    page.close()
    for name, must, some in (
        ("shown", 100, [one[1] for one in times]),
        ("all of it", None, [one[2] for one in times]),
    ):
        note = f"median {median(some):.0f}, most {max(some):.0f} ms"
        yield Figure(f"page: a range of 10,000 steps, {name}", min(some), "ms", must, note=note)


def _drag(page: Page, start: float, end: float) -> None:
    box = page.locator("#over").bounding_box() or {"x": 0, "y": 0, "width": 1, "height": 1}
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * start, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, y, steps=3)
    page.mouse.up()


def _main() -> None:
    with TemporaryDirectory(prefix="unspool-first-paint-") as scratch:
        for name in ("HOME", "CLAUDE_CONFIG_DIR", "UNSPOOL_HOME"):
            os.environ[name] = str(Path(scratch, name.lower()))
        print(table(measured(Path(scratch))))


if __name__ == "__main__":
    _main()
