"""Sessions as files, a few at a time."""

from threading import BoundedSemaphore
from typing import Final

from unspool.engine.export.files import Export, ExportedFile, ExportOptions, exported_file
from unspool.serve.desks.around import Around
from unspool.serve.desks.shelf import Shelf
from unspool.serve.problems import Refused

_AT_ONCE: Final = 2
_TIMEOUT: Final = 120.0


class Exports:
    """Makes a whole file before its first byte is sent, so that errors can be reported."""

    def __init__(self, around: Around, shelf: Shelf) -> None:
        self._around, self._shelf = around, shelf
        self._turns = BoundedSemaphore(_AT_ONCE)

    def file(
        self, project_id: str, session_id: str, options: ExportOptions, agent: str = ""
    ) -> ExportedFile:
        """A session, or one of its agents, as a file."""
        session = self._shelf.apart(project_id, session_id)
        export = Export(session.agent(agent) if agent else session, options)
        if not self._turns.acquire(timeout=_TIMEOUT):
            raise Refused(503, "Other sessions are being exported. Try again in a minute.")
        try:
            return exported_file(export, options.format, self._around.home)
        finally:
            self._turns.release()
