"""Claude roots on disk, and sessions brought back from them."""

import os
from pathlib import Path

from unspool.decode.prices import price_table
from unspool.demo import Transcript
from unspool.derive.whole import Prices
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.options import ReadingOptions
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.model.files import TranscriptFile
from unspool.source.prices import bundled
from unspool.source.roots import find_roots
from unspool.source.session_files import find_session

PRICES = price_table(bundled())
NOW = 1_767_225_600_000  # when the builder's clock starts


def root_sessions(root: Path, *, now: int = NOW, budget: int = 1 << 30) -> RootSessions:
    """Whoever reads the sessions of a root."""
    return RootSessions(find_roots([root], {}, root), PRICES, now=now, budget=budget)


def saved(root: Path, *made: Transcript, at: int = NOW) -> list[Path]:
    """Save transcripts as if they were all written last at one moment."""
    return [dated(transcript.save(root), at) for transcript in made]


def session(root: Path, *made: Transcript, now: int = NOW) -> SessionReader:
    """Save transcripts and open the first."""
    path, *_ = saved(root, *made)
    return root_sessions(root, now=now).open(path)


def live(root: Path, *made: Transcript, now: int = NOW) -> LiveSession:
    """Save transcripts and read the first with all that belongs to it."""
    path, *_ = saved(root, *made)
    return LiveSession(listed(path), setting(now))


def setting(now: int = NOW) -> ReadingOptions:
    """A moment, and the prices of today."""
    return ReadingOptions(now, Prices(PRICES))


def listed(path: Path) -> TranscriptFile:
    """A file as the directory shows it."""
    return find_session([], str(path))


def dated(path: Path, at: int) -> Path:
    """Give a file the time of its last writing."""
    os.utime(path, ns=(at * 1_000_000, at * 1_000_000))
    return path


def append(path: Path, data: bytes, *, at: int = NOW) -> Path:
    """Write on at the end of a file."""
    with path.open("ab") as file:
        file.write(data)
    return dated(path, at)
