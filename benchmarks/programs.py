"""Programs that a benchmark drives; where one is missing the run ends, and says so."""

import sys
from shutil import which


def chromium() -> str:
    """A browser; the shell draws the same pages with half the CPU."""
    return program("chromium-headless-shell", "chromium", "chromium-browser")


def wrk() -> str:
    """A load generator."""
    return program("wrk")


def program(*names: str) -> str:
    """Where the first of these is."""
    path = next(filter(None, map(which, names)), None)
    if path is None:
        sys.exit(f"No {names[0]} here; Debian has a package of it.")
    return path
