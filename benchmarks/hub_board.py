"""A hook on a machine -> "waiting for you" on the board of the hub, in a browser: how soon.

Real parts: the hook, `unspool collect`, `unspool hub serve`, PostgreSQL and Chromium.
`python -m benchmarks.hub_board`; it needs the extra `hub-embedded` and Debian's chromium.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.budgets import Figure, table
from benchmarks.programs import chromium
from unspool.cli import config
from unspool.demo import Transcript
from unspool.serve.runtime import Runtime, read_runtime
from unspool.source import hook

EVENTS: Final = 20
_PATIENCE: Final = 120.0
# When each number of waiting sessions was first drawn, by the browser's clock.
WATCH: Final = """() => {
  window.drawn = [];
  let before = "";
  const look = () => {
    const now = document.getElementById("pin")?.dataset.count ?? "";
    if (now !== before) window.drawn.push([(before = now), Date.now()]);
  };
  new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true});
  look();
}"""


class CollectingMachine:
    """A home with one session, its hook, and the collector that sends what happens there."""

    def __init__(self, home: Path, session: str = "s1") -> None:
        self.home, self.session = home, session
        self.root, self.unspool = home / ".claude", home / "unspool"
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(self.root),
            "UNSPOOL_HOME": str(self.unspool),
        }
        (self.unspool / "spool").mkdir(parents=True)  # as `unspool hooks install` does
        made = Transcript(session, cwd="/repo").user("tidy up")
        made.calls("Bash", id="toolu_1", command="rm -rf build").save(self.root)

    @contextmanager
    def collecting(self, url: str, code: str) -> Iterator["subprocess.Popen[bytes]"]:
        """`unspool collect`, as somebody starts it the first time."""
        command = [sys.executable, "-m", "unspool", "collect", "--hub", url, "--code", code]
        with subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--name", "laptop"], env=self.environment
        ) as running:
            try:
                yield running
            finally:
                running.terminate()

    def hook(self, event: str, number: int = 1) -> float:
        """Run the hook as Claude Code does, for some call; when it was started."""
        told = {
            "hook_event_name": event,
            "session_id": self.session,
            "transcript_path": str(self.root / "projects" / "-repo" / f"{self.session}.jsonl"),
            "cwd": "/repo",
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": "rm -rf build"},
        }
        command = [sys.executable, "-I", "-S", hook.__file__, str(self.unspool / "spool")]
        began = config.now() / 1_000  # the browser's clock is the same
        subprocess.run(command, input=json.dumps(told).encode(), check=True)  # noqa: S603
        return began


def measured(place: Path) -> list[Figure]:
    """Ask and go on, in turn, and look when the page says so."""
    machine = CollectingMachine(place / "machine")
    late: list[float] = []
    with (
        _hub(place / "hub") as (runtime, code),
        machine.collecting(runtime.url, code),
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{runtime.url}/#t={runtime.token}")
        page.wait_for_selector("#pin")
        page.evaluate(WATCH)
        for number in range(1, EVENTS + 2):
            began = machine.hook("PermissionRequest", number)
            late.append(drawn(page, "1", began) - began)
            sleep(0.3 + number * 0.13 % 1)  # at no fixed moment of anybody's poll
            drawn(page, "0", machine.hook("PostToolUse", number))
            sleep(0.6 + number * 0.29 % 1)
        browser.close()
    times = [one * 1_000 for one in late[1:]]  # the first waits for processes to start
    note = f"{len(times)} events, worst {max(times):.0f} ms"
    return [
        Figure("hook to the hub's board in a browser, p50", median(times), "ms", note=note),
        Figure("the same, p95", quantiles(times, n=20)[-1], "ms", 1_000),
    ]


def drawn(page: Page, count: str, since: float) -> float:
    """When the page first said so after a moment."""
    deadline = monotonic() + _PATIENCE
    while monotonic() < deadline:
        for said, at in page.evaluate("window.drawn"):
            if said == count and at / 1_000 >= since:
                return float(at) / 1_000
        sleep(0.02)
    raise TimeoutError(f"The board never said that {count} wait.")


@contextmanager
def _hub(home: Path) -> Iterator[tuple[Runtime, str]]:
    """A hub with a PostgreSQL of its own, and a code for a machine."""
    environment = {**os.environ, "UNSPOOL_HOME": str(home)}
    ours = [sys.executable, "-m", "unspool", "hub"]
    with subprocess.Popen(  # noqa: S603 - our own command
        [*ours, "serve", "--embedded", "--port", "0"], env=environment, stdout=subprocess.DEVNULL
    ) as running:
        try:
            deadline = monotonic() + _PATIENCE
            while (runtime := read_runtime(home)) is None and monotonic() < deadline:
                sleep(0.1)
            enrol = subprocess.run(  # noqa: S603
                [*ours, "enrol", "--embedded", "--json"], env=environment, check=True,
                stdout=subprocess.PIPE,
            )  # fmt: skip
            assert runtime is not None  # noqa: S101 - it enrolled somebody
            yield runtime, json.loads(enrol.stdout)["code"]
        finally:
            running.terminate()


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        figures = measured(Path(scratch))
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))
