"""A session of today, an index of it, and the status line for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import SOURCE, Said
from unspool.cli import config
from unspool.cli.statusline import run
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.indexing.indexer import Indexer
from unspool.source.roots import find_roots
from unspool.store.sqlite.store import SqliteStore

MODEL = "claude-opus-5"


def minutes_ago(minutes: float) -> str:
    """A time of the last hours, as transcripts write it."""
    return iso(config.now() - round(minutes * 60_000)) or ""


def talk(session: str = "s1", *, minutes: float = 30, prefix: str = "", **more: Any) -> Transcript:
    """A session that began so long ago."""
    prefix = prefix or session
    return Transcript(session, start=minutes_ago(minutes), uuid_prefix=prefix, model=MODEL, **more)


def answered(made: Transcript, dollars: float, **more: Any) -> Transcript:
    """An answer that costs so much: its output alone, at 25 dollars a million."""
    usage = {"input_tokens": 0, "output_tokens": round(dollars * 40_000)}
    return made.says("x", usage=usage, **more)


def index(root: Path) -> None:
    """Take in all there is."""
    store = SqliteStore(config.unspool_home())
    try:
        Indexer(store, find_roots([root], {}, root), config.prices()).sweep(config.now())
    finally:
        store.close()


def transcript(root: Path, session: str = "s1") -> Path:
    """Where a session's transcript lies."""
    return next((root / "projects").glob(f"*/{session}.jsonl"))


def given(root: Path, session: str = "s1", **fields: Any) -> str:
    """What Claude Code would write to the status line."""
    path = str(transcript(root, session))
    model = {"id": MODEL, "display_name": "Opus"}
    return json.dumps({"session_id": session, "transcript_path": path, "model": model, **fields})


@contextmanager
def standard_input(text: str) -> Iterator[None]:
    """Have the command read this."""
    place = config.unspool_home().parent / "stdin"
    place.write_text(text)
    with place.open() as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", file)
        yield


def shown(capsys: pytest.CaptureFixture[str], text: str, *args: str) -> Said:
    """Run the command in this process."""
    capsys.readouterr()
    with standard_input(text):
        code = run(list(args))
    return Said(code, *capsys.readouterr())


def told(capsys: pytest.CaptureFixture[str], text: str) -> dict[str, Any]:
    """The same as a document."""
    found: dict[str, Any] = json.loads(shown(capsys, text, "--json").out)
    return found


HEAVY = {"msgspec", "rich", "asyncio", "pathlib", "dataclasses", "inspect", "watchfiles"}
ENTRY = "import sys; from unspool.cli.statusline import run; code = run(sys.argv[1:]); "
LOADED = "print(*sys.modules, file=sys.stderr); sys.exit(code)"


def process(text: str) -> tuple[str, set[str]]:
    """Run it in a process of its own: what it says, and what it loads."""
    command = [sys.executable, "-c", ENTRY + LOADED]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        command, env=around, input=text, capture_output=True, text=True, check=True
    )
    return done.stdout, set(done.stderr.split())
