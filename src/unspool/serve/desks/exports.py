"""A session to take away: made into a file nobody else can see, then sent from there."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from threading import BoundedSemaphore
from typing import IO, Final

from msgspec import Struct

from unspool.errors import StoreFull
from unspool.model.api import RemovedSecrets
from unspool.serve.desks.around import Around
from unspool.serve.desks.shelf import Shelf
from unspool.serve.exporting.files import Export, Wanted
from unspool.serve.problems import Refused

_PIECE: Final = 256 * 1024
_AT_ONCE: Final = 2
_PATIENCE: Final = 120.0


class File(Struct, frozen=True):
    """A file that is ready, and what was taken out of it."""

    name: str
    body: IO[bytes]
    taken: tuple[RemovedSecrets, ...]

    def pieces(self) -> Iterator[bytes]:
        """All of it; then it is gone."""
        with self.body:
            while piece := self.body.read(_PIECE):
                yield piece


class Exports:
    """Makes files, a few at a time."""

    def __init__(self, around: Around, shelf: Shelf) -> None:
        self._around, self._shelf = around, shelf
        self._turns = BoundedSemaphore(_AT_ONCE)

    def file(self, project_id: str, session_id: str, wanted: Wanted, agent: str = "") -> File:
        """The whole file, made before the first byte is sent: what goes wrong can be said."""
        session = self._shelf.apart(project_id, session_id)
        export = Export(session.agent(agent) if agent else session, wanted)
        if not self._turns.acquire(timeout=_PATIENCE):
            raise Refused(503, "Other sessions are being exported. Try again in a minute.")
        try:
            body = _kept(export.pieces(), self._around.home)
        finally:
            self._turns.release()
        return File(f"{export.name}.{wanted.format}", body, export.taken)


def _kept(pieces: Iterator[bytes], home: Path) -> IO[bytes]:
    """A file without a name: whatever happens, nothing of it stays behind."""
    try:
        body = TemporaryFile(dir=home)  # noqa: SIM115 - whoever sends it closes it
        try:
            for piece in pieces:
                body.write(piece)
            body.seek(0)
        except BaseException:
            body.close()
            raise
    except OSError as error:
        raise StoreFull(f"{home} cannot be written ({error.strerror}).") from error
    return body
