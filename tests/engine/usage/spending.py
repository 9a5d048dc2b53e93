"""Roots with a few answers in them, for the parts of `cost`."""

import os
from pathlib import Path

from unspool.demo import Transcript

MILLION = {"input_tokens": 1_000_000, "output_tokens": 0}
PRICE = 5.0  # of a million tokens of this model
MODEL = "claude-opus-4-5"


def talk(session: str = "s1", answers: int = 1, day: str = "2026-01-31") -> Transcript:
    """A session of answers that cost five dollars each."""
    made = Transcript(session=session, model=MODEL, start=f"{day}T10:00:00.000Z")
    for n in range(answers):
        made.says("x", usage=MILLION, id=f"msg_{session}_{n}")
    return made


def ledger() -> Path:
    """Where the index of this test's home lies."""
    return Path(os.environ["UNSPOOL_HOME"]) / "index.db"
