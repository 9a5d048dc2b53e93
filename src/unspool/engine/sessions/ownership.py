"""Whose the responses of a session are: by the index of all sessions, else by marks of copies.

Forks, resumed and copied sessions repeat responses that others paid for. An index knows every
file. Without one only the marks that a copy may carry are followed, to the session they name.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import TypeAlias

from unspool.derive.usage.file_usage import FileUsage
from unspool.derive.usage.responses import is_used, merge_usage
from unspool.derive.whole import Ownership
from unspool.engine.transcripts.reader import TranscriptReader
from unspool.errors import StoreError, UnspoolError
from unspool.model.files import Root, TranscriptFile
from unspool.model.query import Change
from unspool.model.usage import OwnedUsage, UsageRow
from unspool.source.session_files import find_session
from unspool.store import Store

Name: TypeAlias = tuple[str, str]  # project and session
Version: TypeAlias = tuple[int, int]

_PAGE = 500
_MOVES = ("usage", "restart")  # kinds of changes that may take responses from a session


class Owners:
    """Asked about many sessions of some roots; safe to call from any thread."""

    def __init__(self, roots: Sequence[Root], store: Store | None = None) -> None:
        self.store = store
        self._roots = roots
        self._lock = Lock()
        self._head: int | None = None
        self._versions: dict[Name, Version] = {}
        self._origins: dict[str, tuple[TranscriptFile, FileUsage] | None] = {}

    def follow(self) -> None:
        """Take in what was written to the index since."""
        if self.store is None:
            return
        with self._lock, suppress(StoreError):
            if self._head is None:
                self._head = self.store.head()
            while changes := self.store.changes(after=self._head, limit=_PAGE):
                self._head = changes[-1].seq
                for change in changes:
                    self._note(change)

    def _note(self, change: Change) -> None:
        name = change.project_id, change.session_id
        count, moves = self._versions.get(name, (0, 0))
        self._versions[name] = count + 1, moves + (change.kind in _MOVES)

    def version(self, name: Name) -> Version:
        """How often the index changed about a session, and how often it may have lost responses.

        A change that names no session is of all of them.
        """
        ours, every = (self._versions.get(one, (0, 0)) for one in (name, ("", "")))
        return ours[0] + every[0], ours[1] + every[1]

    def origin(self, session_id: str) -> tuple[TranscriptFile, FileUsage] | None:
        """The session that a mark names, and what its file says it used."""
        with self._lock:
            known = self._origins.get(session_id)
            try:
                file = find_session(self._roots, session_id)
                if known is None or _state(known[0]) != _state(file):
                    transcript = TranscriptReader(file)
                    transcript.refresh(0)
                    known = file, transcript.fold.usage
            except UnspoolError:
                known = None  # gone or unreadable: the session that repeats it owns it
            self._origins[session_id] = known
            return known


class SessionOwners:
    """What is known about one session; only responses that are new are asked about."""

    def __init__(self, owners: Owners, project_id: str, session_id: str) -> None:
        self._owners = owners
        self._name = project_id, session_id
        self._version: Version | None = None
        self._own: set[str] = set()
        self._elsewhere: dict[str, str] = {}
        self._recorded: list[UsageRow] = []
        self._unsaid: list[UsageRow] = []
        self._compared: tuple[list[UsageRow], list[FileUsage]] = [], []
        self._has_settled = False

    @property
    def is_stale(self) -> bool:
        """Whether the index says more than when it was last asked."""
        return self._version not in (None, self._owners.version(self._name))

    def look(self, files: Sequence[FileUsage]) -> Ownership:
        """How things stand for the usage of all files of the session."""
        keys = {key for file in files for key in file.rows}
        is_asked = self._ask_index(keys)
        unknown = keys - self._own - self._elsewhere.keys()
        is_known = not keys or keys > unknown or self._has_settled
        # Without a response there is nothing that could be another's.
        is_unused = not keys and not self._has_settled
        return Ownership(
            is_unused or (is_asked and is_known),
            {**self._elsewhere, **dict(self._follow_marks(files))},
            self._earlier(files),
        )

    def _earlier(self, files: Sequence[FileUsage]) -> list[UsageRow]:
        """What only earlier versions of the files say: of responses, or more of them."""
        recorded, known = self._compared
        if recorded is not self._recorded or [*map(id, known)] != [*map(id, files)]:
            self._compared = self._recorded, list(files)
            said = {key: row for file in files for key, row in file.rows.items()}
            rows = (row for row in self._recorded if is_used(row))
            self._unsaid = [row for row in rows if not _is_said(row, said.get(row.message_key))]
        return self._unsaid

    @property
    def is_outdated(self) -> bool:
        """Whether settled responses may now belong to another session."""
        moves = self._owners.version(self._name)[1]
        return self._has_settled and self._version is not None and moves != self._version[1]

    def is_settled(self, key: str) -> bool:
        """Whether a response is the session's own, as far as can be known."""
        return self._owners.store is None or key in self._own

    def settle(self, keys: Iterable[str]) -> None:
        """Drop some responses of the session."""
        gone = set(keys)
        self._has_settled = True
        self._own -= gone
        self._recorded = [row for row in self._recorded if row.message_key not in gone]

    def _ask_index(self, keys: set[str]) -> bool:
        """Bring up to date what the index knows; whether there is one."""
        store, version = self._owners.store, self._owners.version(self._name)
        if store is None:
            return False
        try:
            if self._version is None or version[1] != self._version[1]:
                self._own, self._elsewhere = set(), {}
                self._recorded = store.responses(*self._name)
            new = keys - self._own - self._elsewhere.keys()
            found = store.owners(new) if new else {}
        except StoreError:
            return False  # an index that cannot be read is no reason not to read the files
        self._version = version
        self._own |= {key for key, owner in found.items() if owner == self._name}
        self._elsewhere |= {key: owner[1] for key, owner in found.items() if owner != self._name}
        return True

    def _follow_marks(self, files: Iterable[FileUsage]) -> Iterable[tuple[str, str]]:
        for file in files:
            for key, origin in file.origins.items():
                if key not in self._own and key not in self._elsewhere:
                    owner = self._origin_of(file.rows[key], origin)
                    if owner:
                        yield key, owner

    def _origin_of(self, row: UsageRow, origin: str) -> str:
        """The session that owns a marked response, by the marks; "" where it is this one."""
        best, passed = OwnedUsage(*self._name, row), set[str]()
        while origin and origin not in passed:
            passed.add(origin)
            found = self._owners.origin(origin)
            theirs = found and found[1].rows.get(row.message_key)
            if not found or not theirs:
                break
            file, usage = found
            best = merge_usage(best, OwnedUsage(file.project_id, file.session_id or "", theirs))
            origin = usage.origins.get(row.message_key, "")
        return "" if best[:2] == self._name else best.session_id


def _is_said(row: UsageRow, own: UsageRow | None) -> bool:
    """Whether a file has all that was recorded of a response."""
    if own is None or _told(row) == _told(own):
        return own is not None
    both = merge_usage(OwnedUsage("", "", own), OwnedUsage("", "", row)).row
    return _told(both) == _told(own)


def _told(row: UsageRow) -> tuple[object, ...]:
    return row.timestamp, row.is_finished, row.model, row.tokens


def _state(file: TranscriptFile) -> tuple[str, int, int]:
    return file.path, file.size, file.mtime_ns
