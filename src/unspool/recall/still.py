"""Rows of sessions that have long been still, kept from one listing to the next."""

from typing import Final

from unspool.model.listing import SessionSummary
from unspool.model.query import SessionListing

_STILL_MS: Final = 3_600_000


class Still:
    """What the index said of a session, and the row that was made of it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[int, SessionListing, SessionSummary]] = {}

    def row(self, said: SessionListing, now: int) -> SessionSummary | None:
        """The row of a session of which the index still says the same, if it is not too old."""
        at, known, made = self._kept.get((said.project_id, said.session_id), (0, None, None))
        return made if known == said and 0 <= now - at < _STILL_MS else None

    def keep(self, said: SessionListing, made: SessionSummary, now: int) -> None:
        """Keep a row, if nothing has happened in its session for long."""
        if now - (said.last_activity or 0) > _STILL_MS:
            self._kept[said.project_id, said.session_id] = now, said, made
