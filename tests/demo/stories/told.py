"""The stories of the demo, written once and opened for the tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import unspool
from tests.demo.generator.made import PRICES
from unspool.demo.script.files import Stage
from unspool.demo.script.root import write_past
from unspool.demo.script.session import SessionRun
from unspool.demo.stories import PAST

NOW = datetime(2026, 11, 17, 16, 20, tzinfo=UTC)  # a Tuesday


@dataclass(frozen=True)
class Told:
    """A root with the stories of the past, and what was planned of each."""

    root: Path
    runs: dict[str, SessionRun]

    def session(self, name: str) -> unspool.Session:
        """The session of a story."""
        return unspool.open_session(self.runs[name].session, root=self.root, now=NOW)

    def lines(self, name: str) -> list[Any]:
        """The lines of its main file."""
        [path] = self.root.glob(f"projects/*/{self.runs[name].session}.jsonl")
        return [json.loads(line) for line in path.read_bytes().splitlines()]


def tell(root: Path, now: datetime = NOW, seed: int = 1) -> Told:
    """Write the stories of the past."""
    return Told(root, write_past(Stage(root, PRICES, seed), PAST, now))


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
