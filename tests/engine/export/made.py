"""Sessions that are open, and files made of them."""

from pathlib import Path
from typing import Any

from unspool.cli.config import open_stores
from unspool.engine.export.files import Export, ExportOptions
from unspool.engine.sessions.session import SessionReader

NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z


def opened(root: Path, name: str = "latest") -> SessionReader:
    """A session of a root."""
    sessions = open_stores([str(root)]).root_sessions()
    return sessions.open(sessions.find(name))


def exported(session: SessionReader, **wanted: Any) -> tuple[bytes, Export]:
    """The whole file, and who made it."""
    export = Export(session, ExportOptions(now=NOW, **wanted))
    return b"".join(export.pieces()), export
