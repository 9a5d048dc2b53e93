"""Files of long tool outputs -> the archive, each once, and again where it has changed."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from unspool.model.files import OutputFile, Root, TranscriptFile
from unspool.model.health import Finding
from unspool.source.sidecars import (
    LONGEST_OUTPUT,
    OUTPUT_FOLDER,
    output_files,
    read_output,
    session_directory,
    session_outputs,
)
from unspool.store import Store

_AT_ONCE: Final = 16 * 1024 * 1024
_LIMIT: Final = f"{LONGEST_OUTPUT // 1024**2} MiB"


class Outputs:
    """Archives what is not there yet; remembers what is, and which directories are as they were."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, str], OutputFile] | None = None
        self._seen: dict[str, int] = {}

    def sweep(self, roots: Iterable[Root], between: Callable[[], object] = tuple) -> list[str]:
        """Look at every output; says which are too long. `between` is called after each commit."""
        return self._take((file for root in roots for file in output_files(root)), between)

    def look(self, files: Iterable[TranscriptFile]) -> list[str]:
        """Look at the outputs of the sessions of these files."""
        sessions = {(one.root, one.project_id, one.session_id or "") for one in files}
        return self._take(file for session in sessions for file in self._fresh(*session))

    def _fresh(self, root: Root, project_id: str, session_id: str) -> Iterator[OutputFile]:
        """The outputs of a session, unless none has come since."""
        directory = os.path.join(session_directory(root, project_id, session_id), OUTPUT_FOLDER)
        try:
            written = os.stat(directory).st_mtime_ns if session_id else 0
        except (OSError, ValueError):
            return
        if written != self._seen.get(directory, 0):
            self._seen[directory] = written
            yield from session_outputs(root, project_id, session_id)

    def _take(
        self, files: Iterable[OutputFile], between: Callable[[], object] = tuple
    ) -> list[str]:
        if self._known is None:
            self._known = {(one.root, one.path): one for one in self._store.outputs()}
        trouble: list[str] = []
        waiting: list[tuple[OutputFile, bytes]] = []
        room = _AT_ONCE
        for file in files:
            if self._known.get((file.root, file.path)) == file:
                continue
            if file.size > LONGEST_OUTPUT:
                trouble.append(f"{file.path} is longer than {_LIMIT}: it is not archived.")
                continue
            data = _read(file)
            if data is None:
                continue  # it went away, or is closed to us: the next sweep looks again
            waiting.append((file, data))
            room -= len(data)
            if room <= 0:
                self._archive(waiting)
                waiting, room = [], _AT_ONCE
                between()
        self._archive(waiting)
        return trouble

    def _archive(self, found: Sequence[tuple[OutputFile, bytes]]) -> None:
        if found and self._known is not None:
            self._store.archive_outputs(found)
            self._known |= {(file.root, file.path): file for file, _ in found}


def verify_outputs(store: Store) -> Iterator[Finding]:
    """Read every archived output; one that is damaged is archived again from its file."""
    for file in store.outputs():
        if store.output(file.root, file.path) is not None:
            continue
        data = _read(file)
        if data is None:
            message = f"{file.path}: the archived tool output is damaged, and its file is gone."
            yield Finding(about="archive", grade="wrong", said=message)
        else:
            store.archive_outputs([(file, data)])
            message = f"{file.path}: the archived tool output was damaged; repaired from the file."
            yield Finding(about="archive", grade="note", said=message)


def _read(file: OutputFile) -> bytes | None:
    path = os.path.join(file.root, file.path)
    return read_output(os.path.dirname(os.path.dirname(path)), path)
