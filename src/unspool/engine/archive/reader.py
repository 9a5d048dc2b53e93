"""Places in the index -> the bytes that stand there: from the file, or else from the archive."""

import os
from collections import OrderedDict

from unspool.decode.lines import decode
from unspool.derive.reading.messages import read
from unspool.derive.reading.searchable import searchable, spoken_text
from unspool.errors import UnspoolError
from unspool.model.rows import SourceRow
from unspool.model.transcript import Assistant, Entry, User
from unspool.source.safe_open import OpenFile
from unspool.source.sidecars import LONGEST_OUTPUT, output_path, read_output
from unspool.store import Store

_MOST_OPEN = 128


class SessionOutputs:
    """Long tool outputs of one session: from their files, or else from the archive."""

    def __init__(self, root: str, directory: str, store: Store | None = None) -> None:
        self._root, self._directory, self._store = root, directory, store

    def read(self, pointer: str, limit: int = LONGEST_OUTPUT) -> bytes | None:
        """What a pointer names; None where nobody has it, or it is too long."""
        data, path = None, output_path(self._directory, pointer)
        if path:
            data = read_output(self._directory, pointer, limit=limit)
        if path and data is None and self._store is not None:
            data = self._store.output(self._root, os.path.relpath(path, self._root))
        return data if data is not None and len(data) <= limit else None


class Archive:
    """Reads lines back. A file is trusted while it is as the index last saw it."""

    def __init__(self, store: Store, known: dict[int, SourceRow] | None = None) -> None:
        self.store = store
        self._all, self._known = known, dict[int, SourceRow]()
        self._files: OrderedDict[int, OpenFile | None] = OrderedDict()

    def sources(self) -> dict[int, SourceRow]:
        """Every file the index knows, as of the first time somebody asked."""
        if self._all is None:
            self._all = {source.source_id: source for source in self.store.sources()}
        return self._all

    def source(self, source_id: int) -> SourceRow | None:
        """One of them, as of the first time somebody asked for it."""
        known = (self._all or {}).get(source_id) or self._known.get(source_id)
        if known is None:
            known = self.store.source(source_id)
            if known is not None:
                self._known[source_id] = known
        return known

    def line(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """The bytes of one line as they may be shown; None where `raw` has none."""
        return self.raw(source_id, generation, offset, length)

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """The bytes of one line as written; None where neither file nor archive has them."""
        source = self.source(source_id)
        if source is not None and source.generation == generation:
            file = self._file(source)
            if file is not None and _is_same(file, source):
                data = file.read(offset, length)
                if len(data) == length:
                    return data
        return self.store.raw(source_id, generation, offset, length)

    def text(self, source_id: int, generation: int, offset: int, length: int) -> str | None:
        """What a search finds in one line."""
        data = self.line(source_id, generation, offset, length)
        return None if data is None else text_of(data)

    def close(self) -> None:
        """Let go of the files."""
        while self._files:
            _, file = self._files.popitem()
            if file is not None:
                file.close()

    def _file(self, source: SourceRow) -> OpenFile | None:
        id = source.source_id
        if id not in self._files:
            self._files[id] = _opened(source)
            if len(self._files) > _MOST_OPEN:
                _, oldest = self._files.popitem(last=False)
                if oldest is not None:
                    oldest.close()
        self._files.move_to_end(id)
        return self._files[id]


def text_of(line: bytes) -> str:
    """What a search finds in a line."""
    texts = (_text(entry) for entry in decode(line))
    return "\n".join(text for text in texts if text is not None)


def _text(entry: Entry) -> str | None:
    """What a search finds in an entry; None where it is no part of the conversation."""
    if isinstance(entry, Assistant) or (isinstance(entry, User) and entry.uuid):
        return spoken_text(entry) if entry.message else None
    message = read(entry, 1)
    return None if message is None else searchable(entry, message)[1]


def _opened(source: SourceRow) -> OpenFile | None:
    if source.gone_at is not None:
        return None
    try:
        return OpenFile(os.path.join(source.root, source.path))
    except UnspoolError:
        return None


def _is_same(file: OpenFile, source: SourceRow) -> bool:
    now = file.stat()
    return (now.st_size, now.st_mtime_ns, now.st_ino) == (
        source.size,
        source.mtime_ns,
        source.tail.inode,
    )
