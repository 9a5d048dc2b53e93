"""Places -> lines: as they lie in the file, what images they hold, and what they say in full."""

import os
from typing import Final

import msgspec
from msgspec import Struct

from unspool.engine.archive import Archive, SessionOutputs, text_of
from unspool.engine.blobs import Blob, blobs
from unspool.engine.indexing.ids import source_id
from unspool.errors import NotFound, StoreFull
from unspool.model.api import RevealedLine
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours
from unspool.source.sidecars import session_directory

REVEALS: Final = "reveals.jsonl"
_GONE: Final = "There is no such line."


class FoundLine(Struct, frozen=True):
    """A line of a transcript, and whose it is."""

    data: bytes
    project_id: str
    session_id: str
    outputs: SessionOutputs  # the long ones of its session


class LineLookup:
    """Reads lines by their event ids, of our roots alone."""

    def __init__(self, around: Around, ours: Ours) -> None:
        self._around, self._ours = around, ours

    def line(self, event_id: str) -> FoundLine:
        """A line by its place; NotFound where nothing stands there."""
        source_id, generation, offset = map(int, event_id.split("."))
        line = self._around.store.line_at(source_id, generation, offset)
        root = self._ours.root(line.root) if line else None
        if line is None or root is None:
            raise NotFound(_GONE)
        data = self._bytes(source_id, generation, offset, line.length)
        if data is None:
            raise NotFound(_GONE)
        directory = session_directory(root, line.project_id, line.session_id)
        outputs = SessionOutputs(root.path, directory, self._around.store)
        return FoundLine(data, line.project_id, line.session_id, outputs)

    def blob(self, event_id: str, n: int) -> Blob:
        """The nth thing in a line that is no text to read: pictures, documents, long results."""
        line = self.line(event_id)
        for number, found in enumerate(blobs(line.data, line.outputs)):
            if number == n and found is not None:
                return found
        raise NotFound("This line has no such thing in it.")

    def reveal(self, event_id: str, who: str) -> RevealedLine:
        """A line's text with its secrets; that it was asked for is noted first."""
        line = self.line(event_id)
        self._note(event_id, line, who)
        return RevealedLine(event_id, text_of(line.data))

    def event_id(self, path: str, offset: int) -> str | None:
        """The name of a place in a file; None where the index has not come so far."""
        for root in self._around.roots:
            if path.startswith(os.path.join(root.path, "")):
                number = source_id(root.path, os.path.relpath(path, root.path))
                source = self._around.store.source(number)
                if source is not None:
                    end, name = source.offset, f"{number}.{source.generation}.{offset}"
                    return name if offset < end else None
        return None

    def _bytes(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        kept = self._around.store.raw(source_id, generation, offset, length)
        if kept is not None:
            return kept
        archive = Archive(self._around.store)  # an unfinished last line is in its file alone
        try:
            return archive.line(source_id, generation, offset, length)
        finally:
            archive.close()

    def _note(self, event_id: str, line: FoundLine, who: str) -> None:
        said = {
            "at": self._around.now(),
            "eventId": event_id,
            "projectId": line.project_id,
            "sessionId": line.session_id,
            "address": who,
        }
        path = self._around.home / REVEALS
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(path, flags, 0o600), "ab") as out:
                out.write(msgspec.json.encode(said) + b"\n")
        except OSError as error:
            raise StoreFull(f"{path} cannot be written ({error.strerror}).") from error
