"""Tombstones: which sessions were forgotten, by their ids alone, as every walk of a root obeys.

`forgotten.jsonl` in unspool's home has a line for each session that was forgotten or restored, and
the last one on a session counts. Lines are only added, so its length tells how much of it an index
has obeyed: see `done`. It loads no model: `unspool cost` needs it first.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from unspool.json_depth import shallow
from unspool.private_files import private_directory, write_private
from unspool.source.claude_code import LINES
from unspool.source.roots import same_directory
from unspool.system.files import open_file, sync_directory

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from unspool.source.claude_code import RootLike

    class NamedFile(Protocol):
        """A file by its names: a `FileName`, or a `ScannedFile`."""

        @property
        def kind(self) -> str: ...
        @property
        def project_id(self) -> str: ...
        @property
        def session_id(self) -> str | None: ...

    Projects: TypeAlias = Mapping[str, frozenset[str]]  # directories of projects, and session ids

DONE = "forgotten.done"
_NAMES = ("root", "projectId", "sessionId")
_NOBODY = frozenset[str]()
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT


class Tombstone(NamedTuple):
    """A session that was forgotten, and when; `project` is the name of its directory."""

    root: str
    project: str
    session: str
    at: int  # in milliseconds since 1970

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is of."""
        return self.root, self.project, self.session


class Tombstones:
    """Those in force, as of one moment."""

    def __init__(self, data: bytes) -> None:
        whole, _, _ = data.rpartition(b"\n")
        self.size = len(whole) + 1 if whole else 0
        self.damaged = 0
        self._ends: dict[tuple[str, str, str], tuple[Tombstone, int]] = {}
        self._restored: dict[tuple[str, str, str], Tombstone] = {}
        end = 0
        for line in whole.split(b"\n") if whole else ():
            end += len(line) + 1
            self._take(line, end)
        self._roots: dict[str, Projects] = {}

    def _take(self, line: bytes, end: int) -> None:
        try:
            found = json.loads(shallow(line))
            root, project, session = (str(found[name]) for name in _NAMES)
            one = Tombstone(root, project, session, int(found["at"]))
            is_restored = found.get("restored") is True
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.damaged += bool(line.strip())  # a process died while it wrote
            return
        if is_restored:
            self._ends.pop(one.key, None)
            self._restored[one.key] = one
        else:
            self._restored.pop(one.key, None)
            self._ends[one.key] = one, end

    def __iter__(self) -> Iterator[Tombstone]:
        return (one for one, _ in self._ends.values())

    def __len__(self) -> int:
        return len(self._ends)

    def restored(self) -> list[Tombstone]:
        """Sessions that are no longer forgotten, and since when."""
        return list(self._restored.values())

    def after(self, place: int) -> list[Tombstone]:
        """Those that were written behind a place in the log."""
        return [one for one, end in self._ends.values() if end > place]

    def of(self, root: str) -> "Projects":
        """The forgotten sessions of a root, whichever path leads to it."""
        if root not in self._roots:
            roots = {one.root for one in self}
            same = {path for path in roots if same_directory(path, root)}
            found: dict[str, set[str]] = {}
            for one in self:
                if one.root in same:
                    found.setdefault(one.project, set()).add(one.session)
            self._roots[root] = {name: frozenset(ids) for name, ids in found.items()}
        return self._roots[root]

    def has_event(self, session_id: str, transcript: str) -> bool:
        """Whether a hook event is of one of them; one that names no transcript goes by its id."""
        folders = transcript.replace("\\", "/").split("/")
        mine = (one.project for one in self if one.session == session_id)
        return any(not transcript or project in folders for project in mine)

    def named_in(self, data: bytes) -> bool:
        """Whether bytes that are no whole event name one of them."""
        return any(one.session.encode() in data for one in self)


NONE = Tombstones(b"")
_read: dict[str, tuple[object, Tombstones]] = {}  # by path, with what tells a changed log


def tombstones(log: str) -> Tombstones:
    """Those of a log; it is read again when it has changed."""
    stamp = log_stamp(log)
    if not stamp:
        return NONE
    known = _read.get(log)
    if known is None or known[0] != stamp:
        try:
            with open(log, "rb") as file:
                known = _read[log] = stamp, Tombstones(file.read())
        except OSError:
            return known[1] if known else NONE
    return known[1]


def log_stamp(log: str) -> tuple[int, ...]:
    """A value that changes with the log; empty without one."""
    try:
        info = os.stat(log) if log else None
    except OSError:
        info = None
    return (info.st_ino, info.st_size, info.st_mtime_ns) if info else ()


def forgotten_in(root: "RootLike") -> "Projects":
    """The forgotten sessions of a root by the directory of their project."""
    found = tombstones(root.tombstones)
    return found.of(root.path) if found else {}


def is_forgotten(root: "RootLike", project_id: str, session_id: str | None) -> bool:
    """Whether a session was forgotten; `project_id` has the prefix of its root."""
    return session_id in forgotten_in(root).get(project_id.removeprefix(root.prefix), _NOBODY)


def is_ignored(root: "RootLike", file: "NamedFile", gone: "Projects | None" = None) -> bool:
    """Whether a file is of a session that was forgotten; a walk asks once which are `gone`."""
    gone = forgotten_in(root) if gone is None else gone
    name = file.project_id.removeprefix(root.prefix)
    if file.session_id in gone.get(name, _NOBODY):
        return True
    if file.kind != "hook_log" or not any(file.session_id in ids for ids in gone.values()):
        return False
    # A logger may use another name for a project, but never that of one with this session.
    main = os.path.join(root.projects, name, f"{file.session_id}{LINES}")
    return not os.path.lexists(main)


def is_forgotten_in(roots: "Iterable[RootLike]", project_id: str, session_id: str | None) -> bool:
    """The same, in any of some roots."""
    return any(is_forgotten(root, project_id, session_id) for root in roots)


def forgotten_names(
    roots: "Sequence[RootLike]", names: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Of projects and sessions, those that were forgotten."""
    gone = forgotten_ids(roots)
    return [name for name in names if name[1] in gone and is_forgotten_in(roots, *name)]


def forgotten_ids(roots: "Iterable[RootLike]") -> set[str]:
    """The ids of all forgotten sessions of some roots."""
    return {id for root in roots for ids in forgotten_in(root).values() for id in ids}


def count_forgotten(roots: "Iterable[RootLike]") -> int:
    """How many sessions of some roots were forgotten."""
    return sum(
        len(ids)
        for root in roots
        for project, ids in forgotten_in(root).items()
        if root.only in (None, project)
    )


def forget(log: str, keys: Iterable[tuple[str, str, str]], at: int) -> None:
    """Write tombstones, which are on the disk when it returns."""
    _append(log, [{**_named(key), "at": at} for key in keys])


def restore(log: str, keys: Iterable[tuple[str, str, str]], at: int) -> None:
    """Take tombstones away."""
    _append(log, [{**_named(key), "at": at, "restored": True} for key in keys])


def obeyed(home: str | os.PathLike[str]) -> int:
    """How much of the log an index and its archive have obeyed."""
    try:
        with open(os.path.join(home, DONE), "rb") as file:
            return int(file.read(32))
    except (OSError, ValueError):
        return 0


def pending(log: str, home: str | os.PathLike[str]) -> list[Tombstone]:
    """Tombstones that an index and its archive do not obey yet."""
    return tombstones(log).after(obeyed(home))


def note_obeyed(home: str | os.PathLike[str], size: int) -> None:
    """Note how much of the log is obeyed."""
    write_private(os.path.join(home, DONE), [b"%d\n" % size], durable=True)


def _named(key: Collection[str]) -> dict[str, object]:
    return dict(zip(_NAMES, key, strict=True))


def _append(log: str, lines: list[dict[str, object]]) -> None:
    """Add lines in one write; one that another process left unfinished is ended first."""
    private_directory(os.path.dirname(log))
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    fd = open_file(log, _FLAGS)
    try:
        size = os.lseek(fd, 0, os.SEEK_END)
        if size and os.lseek(fd, size - 1, os.SEEK_SET) >= 0 and os.read(fd, 1) != b"\n":
            data = b"\n" + data
        while data:
            data = data[os.write(fd, data) :]
        os.fsync(fd)
    finally:
        os.close(fd)
    sync_directory(os.path.dirname(log))
