"""Lines by their event ids: their bytes, their blobs, and their text with secrets."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import msgspec
from msgspec import Struct

from unspool.engine.archive.blobs import Blob, blobs
from unspool.engine.archive.reader import Archive, SessionOutputs, text_of
from unspool.engine.sessions.index_scope import IndexScope
from unspool.errors import NotFound, StoreFull
from unspool.model.api import RevealedLine
from unspool.source.sidecars import session_directory
from unspool.store import Store
from unspool.system.files import open_no_link

REVEALS: Final = "reveals.jsonl"
_GONE: Final = "There is no such line."


class TranscriptLine(Struct, frozen=True):
    """A line of a transcript, and its session."""

    data: bytes
    project_id: str
    session_id: str
    outputs: SessionOutputs  # long tool outputs of its session


class LineLookup:
    """Reads lines of some roots by their event ids."""

    def __init__(self, store: Store, scope: IndexScope) -> None:
        self._store, self._scope = store, scope

    def line(self, event_id: str) -> TranscriptLine:
        """The line of an event id, or NotFound."""
        source_id, generation, offset = map(int, event_id.split("."))
        line = self._store.line_at(source_id, generation, offset)
        root = self._scope.root(line.root) if line else None
        if line is None or root is None:
            raise NotFound(_GONE)
        data = self._bytes(source_id, generation, offset, line.length)
        if data is None:
            raise NotFound(_GONE)
        directory = session_directory(root, line.project_id, line.session_id)
        outputs = SessionOutputs(root.path, directory, self._store)
        return TranscriptLine(data, line.project_id, line.session_id, outputs)

    def blob(self, event_id: str, n: int) -> Blob:
        """The nth picture, document or long result of a line."""
        line = self.line(event_id)
        for number, found in enumerate(blobs(line.data, line.outputs)):
            if number == n and found is not None:
                return found
        raise NotFound("This line has no such attachment.")

    def reveal(self, event_id: str, log: "RevealNotes", address: str) -> RevealedLine:
        """A line's text with its secrets; the request is logged first."""
        line = self.line(event_id)
        log.write(event_id, line, address)
        return RevealedLine(event_id, text_of(line.data))

    def event_id(self, source_id: int, offset: int) -> str | None:
        """The event id of an offset in a file; None if the index has not read it yet."""
        source = self._store.source(source_id)
        if source is None or offset >= source.offset:
            return None
        return f"{source_id}.{source.generation}.{offset}"

    def _bytes(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        archived = self._store.raw(source_id, generation, offset, length)
        if archived is not None:
            return archived
        archive = Archive(self._store)  # an unfinished last line is only in its file
        try:
            return archive.line(source_id, generation, offset, length)
        finally:
            archive.close()


class RevealNotes(Protocol):
    """Where it is noted which lines were revealed."""

    def write(self, event_id: str, line: TranscriptLine, address: str) -> None:
        """Note one; if that fails, it raises, and the line is not shown."""


class RevealLog:
    """Notes in a file of unspool's home which lines were revealed, to whom and when."""

    def __init__(self, home: Path, now: Callable[[], int]) -> None:
        self._path, self._now = home / REVEALS, now

    def write(self, event_id: str, line: TranscriptLine, address: str) -> None:
        """Append one entry; StoreFull if that fails."""
        entry = {
            "at": self._now(),
            "eventId": event_id,
            "projectId": line.project_id,
            "sessionId": line.session_id,
            "address": address,
        }
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        try:
            with os.fdopen(open_no_link(self._path, flags), "ab") as out:
                out.write(msgspec.json.encode(entry) + b"\n")
        except OSError as error:
            raise StoreFull(f"{self._path} cannot be written ({error.strerror}).") from error
