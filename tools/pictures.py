"""The demo -> the pictures of README.md: four pages, and one that moves.

    python -m tools.pictures [DIR]

The demo's clock is that of an afternoon, whatever time it is: its day has sessions then.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, FloatRect, Page, ViewportSize, sync_playwright

from unspool.cli import config
from unspool.demo.stories import PAST
from unspool.demo.stories.running_sessions import RUNNING

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
_CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
_AFTERNOON = 16
_SIZE: ViewportSize = {"width": 1440, "height": 900}
_SMALL: ViewportSize = {"width": 1200, "height": 750}
_LONG = "Arrival estimate from past deliveries"

# A screenshot has no mouse pointer: this one is drawn where the mouse is.
_POINTER = ((0, 0), (0, 18), (5, 14), (8, 21), (11, 20), (8, 13), (14, 13))


class Site(NamedTuple):
    """A running demo: where it is, the code that lets a browser in, and its time zone."""

    address: str
    code: str
    zone: str


def main(arguments: list[str]) -> int:
    """Take all pictures; 1 if one is too large for a page."""
    folder = Path(arguments[0]) if arguments else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    with demo(afternoon_zone(config.local_now().astimezone(UTC))) as site, chromium() as browser:
        page = open_page(browser, site)
        pages = take_pages(page, site, folder)
        film = take_film(page, site, folder / "spool.png")
    return report(pages, film)


def report(pages: list[Path], film: Path) -> int:
    """Print how large the pictures are; 1 if one is larger than a reader should load."""
    limits = {**dict.fromkeys(pages, 400), film: 2_000}
    sizes = {path: path.stat().st_size // 1_024 for path in limits}
    for path, size in sizes.items():
        print(f"{path.name:12} {size:5} KB{' TOO LARGE' * (size > limits[path])}")
    return int(any(size > limits[path] for path, size in sizes.items()))


def afternoon_zone(now: datetime) -> str:
    """A time zone in which it is afternoon; its name has the sign of POSIX, west is positive."""
    east = (_AFTERNOON - now.hour + 11) % 24 - 11
    return f"Etc/GMT{-east:+d}" if east else "UTC"


@contextmanager
def demo(zone: str) -> Iterator[Site]:
    """A demo with a home of its own, ended with the block."""
    with tempfile.TemporaryDirectory(prefix="unspool-pictures-") as home:
        roots = {"CLAUDE_CONFIG_DIR": f"{home}/.claude", "UNSPOOL_HOME": f"{home}/unspool"}
        around = {**os.environ, **roots, "HOME": home, "TMPDIR": home, "TZ": zone}
        command = [sys.executable, "-m", "unspool", "--demo", "--no-browser", "--port", "0"]
        running = subprocess.Popen(  # noqa: S603 - our own command
            command, cwd=ROOT, env=around, stdout=subprocess.PIPE, text=True
        )
        try:
            assert running.stdout  # noqa: S101 - it was asked for
            said = next(line for line in running.stdout if "/enter#t=" in line)
            address, _, code = said.strip().partition("/enter#t=")
            yield Site(address, code, zone)
        finally:
            running.terminate()
            running.wait()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that asks nobody else."""
    path = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if path is None:
        sys.exit("No chromium is installed; Debian's package is chromium-headless-shell.")
    with sync_playwright() as driver:
        yield driver.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--no-proxy-server"]
        )


def open_page(browser: Browser, site: Site) -> Page:
    """A page that is let in, once every session is indexed."""
    page = browser.new_context(
        viewport=_SIZE, timezone_id=site.zone, locale="en-GB", reduced_motion="reduce"
    ).new_page()
    page.goto(f"{site.address}/enter#t={site.code}")
    page.wait_for_selector("header.top")
    page.wait_for_function(
        """async (count) => {
          const {items} = await (await fetch("/api/sessions?limit=100")).json();
          return items.length >= count;
        }""",
        arg=len(PAST) + len(RUNNING),
    )
    return page


def take_pages(page: Page, site: Site, folder: Path) -> list[Path]:
    """A long session, all sessions, the costs of a month in the dark, and the board."""
    taken = []

    def take(name: str, address: str, selector: str, colours: Any = "light") -> None:
        page.emulate_media(color_scheme=colours)
        go(page, site.address + address)
        page.wait_for_selector(selector)
        taken.append(folder / f"{name}.png")
        page.screenshot(path=taken[-1])

    go(page, f"{site.address}/spend")
    month = page.get_by_role("link", name="This month").evaluate("a => a.pathname + a.search")
    take("session", session_path(page, _LONG), "#reel .plot")
    take("sessions", "/sessions", f"text={_LONG}")
    take("spend", month, "#h-where", "dark")
    take("board", "/", "text=List queries without an index")  # by then all of it is under way
    page.emulate_media(color_scheme="light")
    return taken


def go(page: Page, address: str) -> None:
    """Open an address and wait until its script has done what it does at the beginning."""
    page.goto(address)
    page.wait_for_selector("html[data-ready]")


def session_path(page: Page, title: str) -> str:
    """Where a session is, by its title."""
    found: str = page.evaluate(
        """async (title) => {
          const {items} = await (await fetch("/api/sessions?limit=100")).json();
          const {session} = items.find((one) => one.session.title === title);
          return `/s/${session.projectId}/${session.id}`;
        }""",
        title,
    )
    return found


class Film:
    """Screenshots with the time that each is shown, and the mouse in them."""

    def __init__(self, page: Page) -> None:
        self._page, self._at = page, (0.0, 0.0)
        self.frames: list[tuple[Image.Image, int]] = []

    def move(self, x: float, y: float, milliseconds: int) -> None:
        """Move the mouse, and show what the page makes of it."""
        self._page.mouse.move(x, y)
        self._at = x, y
        self.shoot(milliseconds)

    def shoot(self, milliseconds: int) -> None:
        """Show the page as it is for a while."""
        shot = Image.open(BytesIO(self._page.screenshot())).convert("RGB")
        corners = [(self._at[0] + x, self._at[1] + y) for x, y in _POINTER]
        ImageDraw.Draw(shot).polygon(corners, fill="#111", outline="#fff")
        self.frames.append((shot, milliseconds))

    def save(self, path: Path) -> None:
        """Write an animated PNG: of each frame what differs from the one before."""
        first, *others = [frame for frame, _ in self.frames]
        times = [milliseconds for _, milliseconds in self.frames]
        first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def take_film(page: Page, site: Site, path: Path) -> Path:
    """On a long session: look along its spool, choose a range, read what is left, clear it."""
    page.set_viewport_size(_SMALL)
    go(page, site.address + session_path(page, _LONG))
    plot, film = _box(page, "#reel .plot"), Film(page)
    left, width, middle = plot["x"], plot["width"], plot["y"] + plot["height"] * 0.4
    column = left + width * 0.5, plot["y"] + plot["height"] + 260
    film.move(*column, 900)
    for share in (0.02, 0.08, 0.155, 0.22, 0.29):
        film.move(left + width * share, middle, 300)
    film.move(left + width * 0.345, middle, 600)
    page.mouse.down()
    for share in (0.38, 0.42, 0.46, 0.50, 0.525):
        film.move(left + width * share, middle, 160)
    page.mouse.up()
    page.wait_for_function("() => new URL(location).searchParams.has('from')")
    page.wait_for_load_state("networkidle")
    film.shoot(700)
    film.move(*column, 2_000)
    clear = _box(page, "#range a")
    film.move(clear["x"] + clear["width"] / 2, clear["y"] + clear["height"] / 2, 700)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("() => !new URL(location).searchParams.has('from')")
    page.wait_for_load_state("networkidle")
    film.move(*column, 1_200)
    film.save(path)
    return path


def _box(page: Page, selector: str) -> FloatRect:
    found = page.locator(selector).first.bounding_box()
    if found is None:
        raise LookupError(f"the page shows no {selector}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
