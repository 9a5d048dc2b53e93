"""Roots and spool -> the directories to watch, and which file a path in them is."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from unspool.model.files import Root, TranscriptFile
from unspool.model.watch import Changed
from unspool.source.heads import first_session_id
from unspool.source.layout import Class, Walk, classify, discover
from unspool.source.spool import spool_files
from unspool.source.stamps import Stamp, Stamped, stamp_of, stamps

_HOOK_LOG: Final = ".hooks.jsonl"
_PID: Final = re.compile(r"[1-9][0-9]{0,9}\.json")
_PUT_ASIDE: Final = (".orphaned", ".superseded")


class Known(NamedTuple):
    """A file as it was last seen; one that is written anew may be as long as it was."""

    file: Changed
    stamp: Stamp


def stamp(path: str) -> Stamp | None:
    """How a file stands; None where there is none, or something else than a file."""
    try:
        info = os.lstat(path)
    except (OSError, ValueError):
        return None
    return stamp_of(info) if stat.S_ISREG(info.st_mode) else None


def is_gone(path: str) -> bool:
    """Whether a file is there no more; a directory that is shut for a while proves nothing."""
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False


class Watched:
    """The places where Claude Code and its hooks write."""

    def __init__(self, roots: Sequence[Root], spool: str | None = None) -> None:
        self._roots = roots
        self._spool = spool

    def directories(self) -> list[str]:
        """Every directory worth watching, there or not yet."""
        found = [place for root in self._roots for place in _places(root)]
        return list(dict.fromkeys([*found, self._spool] if self._spool else found))

    def file(self, path: str) -> Changed | None:
        """Which file a path is; None for what nobody reads. Links are not followed."""
        if self._spool and os.path.dirname(path) == self._spool:
            return Changed(path=path, kind="spool") if path.endswith(".spool") else None
        found = (_file(root, path) for root in self._roots)
        return next((file for file in found if file), None)

    def below(self, directory: str) -> Iterator[str]:
        """The files of a directory that has just appeared: they may be older than our watch."""
        if self._roots and not os.path.islink(directory):
            yield from (entry.path for entry in Walk(self._roots[0]).below(directory))

    def all(self) -> Iterator[Known]:
        """Every file there is, a project at a time."""
        for root in self._roots:
            for transcript in discover(root):
                yield Known(told_of(transcript), _found(transcript))
        for path, now in self._others():
            if file := self.file(path):
                yield Known(file, now)

    def sweep(self) -> Iterator[Stamped]:
        """How each of them stands; what kind of file it is need not be asked again."""
        for root in self._roots:
            yield from stamps(root)
        yield from self._others()

    def _others(self) -> Iterator[Stamped]:
        """The registry and the spool."""
        paths = [path for root in self._roots for path in _registry(root)]
        paths += [file.path for file in spool_files(self._spool or "")]
        return ((path, now) for path in paths if (now := stamp(path)))


def _places(root: Root) -> list[str]:
    narrowed = root.projects if root.only is None else os.path.join(root.projects, root.only)
    return [narrowed, os.path.join(root.path, "hooks"), os.path.join(root.path, "sessions")]


def _file(root: Root, path: str) -> Changed | None:
    if parts := _parts(path, os.path.join(root.path, "sessions")):
        named = len(parts) == 1 and _PID.fullmatch(parts[0])
        return Changed(path=path, kind="registry") if named else None
    if not path.endswith(".jsonl"):
        return None
    if parts := _parts(path, root.projects):
        place = classify(parts) if root.only in (None, parts[0]) else None
    elif parts := _parts(path, os.path.join(root.path, "hooks")):
        session = parts[-1].removesuffix(_HOOK_LOG)
        is_log = len(parts) == 2 and session != parts[-1]
        place = ("hook_log", session, None) if is_log else None
    else:
        return None
    return _named(root, path, parts, place) if place and _is_plain(path, parts) else None


def _named(root: Root, path: str, parts: list[str], place: Class) -> Changed:
    kind, session, agent = place
    return Changed(
        path=path,
        kind=kind,
        project_id=root.prefix + parts[0],
        session_id=first_session_id(path) if kind == "legacy_subagent" else session,
        is_subagent=agent is not None,
    )


def _parts(path: str, directory: str) -> list[str]:
    above = directory + os.sep
    return path.removeprefix(above).split(os.sep) if path.startswith(above) else []


def _is_plain(path: str, parts: list[str]) -> bool:
    """Neither put aside by Claude Code nor reached through a link."""
    if any(mark in part for mark in _PUT_ASIDE for part in parts):
        return False
    for _ in parts[1:]:
        path = os.path.dirname(path)
        if os.path.islink(path):
            return False
    return True


def _registry(root: Root) -> list[str]:
    directory = os.path.join(root.path, "sessions")
    return [entry.path for entry in Walk(root).entries(directory) if _PID.fullmatch(entry.name)]


def told_of(file: TranscriptFile) -> Changed:
    """What is told of a transcript that changed."""
    return Changed(
        path=file.path,
        kind=file.kind,
        project_id=file.project_id,
        session_id=file.session_id,
        is_subagent=file.agent_id is not None,
    )


def _found(file: TranscriptFile) -> Stamp:
    return Stamp(file.size, file.inode, file.mtime_ns)
