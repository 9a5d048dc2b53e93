"""`make serve` in a fresh clone with an empty home: until the demo's board is in a browser.

`python -m benchmarks.newcomer`; it needs git, make, what pip installs from, and Debian's chromium.
"""

import os
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from playwright.sync_api import sync_playwright

from benchmarks.budgets import Figure, table
from benchmarks.programs import chromium, program

_REPOSITORY = Path(__file__).parent.parent


def measured(place: Path) -> list[Figure]:
    """Once: whoever does it again has it installed."""
    clone, home = place / "clone", place / "home"
    home.mkdir()
    git, make = program("git"), program("make")
    _run(git, "clone", "--quiet", str(_REPOSITORY), str(clone))
    # What make says to the make above it is not for a newcomer's.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    env |= {"HOME": str(home), "UNSPOOL_HOME": str(home / "unspool")}
    env |= {"CLAUDE_CONFIG_DIR": str(home / ".claude")}
    command = [make, "serve", "ARGS=--no-browser --port 0"]
    begun = perf_counter()
    with subprocess.Popen(  # noqa: S603 - ourselves
        command, cwd=clone, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as making:
        try:
            address = next(line for line in making.stdout or () if "/enter#t=" in line).strip()
            answered = perf_counter() - begun
            _open(address)
            seconds = perf_counter() - begun
        finally:
            os.killpg(making.pid, signal.SIGTERM)
    name = "make serve in a fresh clone: the demo's board"
    return [Figure(name, seconds, "s", 90, note=f"address printed after {answered:.0f} s")]


def _open(address: str) -> None:
    """Wait for the rows of the board."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("#slots > .slot", timeout=90_000)
        browser.close()


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603 - git


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-newcomer-") as scratch:
        print(table(measured(Path(scratch))))
