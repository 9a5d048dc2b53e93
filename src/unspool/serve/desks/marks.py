"""What readers decide about sessions: in a small file of its own, which no rebuild touches."""

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

import msgspec
from msgspec import UNSET, Struct, structs

from unspool.errors import StoreFull
from unspool.model.api import Marks, MarksGiven

MARKS: Final = "marks.json"
_Key = tuple[str, str]


class _Kept(Struct, frozen=True):
    marks: list[Marks] = []


class MarkBook:
    """Pinned, hidden and renamed sessions; the file is read again when somebody else wrote it."""

    def __init__(self, home: Path) -> None:
        self._path = home / MARKS
        self._lock = Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._marks: dict[_Key, Marks] = {}

    def all(self) -> dict[_Key, Marks]:
        """Every mark, by project and session; not to be changed."""
        with self._lock:
            return self._read()

    def stamp(self) -> tuple[int, int, int] | None:
        """What is another when any mark is."""
        with self._lock:
            self._read()
            return self._stamp

    def of(self, project_id: str, session_id: str) -> Marks:
        """What was decided about one session."""
        none = Marks(project_id=project_id, session_id=session_id)
        return self.all().get((project_id, session_id), none)

    def change(self, project_id: str, session_id: str, given: MarksGiven) -> Marks:
        """Keep what is given of a decision; one that says nothing is forgotten."""
        key = project_id, session_id
        none = Marks(project_id=project_id, session_id=session_id)
        said = {name: value for name, value in structs.asdict(given).items() if value is not UNSET}
        with self._lock:
            known = dict(self._read())
            marks = structs.replace(known.pop(key, none), **said)
            self._write(known if marks == none else {**known, key: marks})
        return marks

    def _read(self) -> dict[_Key, Marks]:
        try:
            now = self._path.stat()
        except OSError:
            self._stamp, self._marks = None, {}
            return self._marks
        stamp = now.st_mtime_ns, now.st_size, now.st_ino
        if stamp != self._stamp:
            # A file that somebody broke is no reason not to show sessions.
            with suppress(OSError, ValueError):
                kept = msgspec.json.decode(self._path.read_bytes(), type=_Kept).marks
                self._marks = {(one.project_id, one.session_id): one for one in kept}
                self._stamp = stamp
        return self._marks

    def _write(self, marks: dict[_Key, Marks]) -> None:
        new = self._path.with_suffix(f".{os.getpid()}.new")
        try:
            file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "wb") as out:
                out.write(msgspec.json.format(msgspec.json.encode(_Kept(list(marks.values())))))
                out.flush()
                os.fsync(out.fileno())
            new.replace(self._path)
        except OSError as error:
            raise StoreFull(f"{self._path} cannot be written ({error.strerror}).") from error
