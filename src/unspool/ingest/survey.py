"""Files on disk and sources known -> what has to be taken in, and what is gone."""

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from unspool.ingest.ids import source_id
from unspool.model.files import Root, Skipped, TranscriptFile
from unspool.model.rows import SourceRow
from unspool.source.layout import Class, Walk, classify, discover

_HOOK_LOG = ".hooks.jsonl"


class Found(Struct, frozen=True):
    """A file with something new in it, and what is known of it."""

    file: TranscriptFile
    known: SourceRow | None

    @property
    def new_bytes(self) -> int:
        """About how much there is to read."""
        taken = self.known.offset if self.known else 0
        return self.file.size - taken if taken <= self.file.size else self.file.size


class Survey(Struct, frozen=True):
    """What one look at the roots gave."""

    files: int
    found: list[Found]
    gone: list[int]
    skipped: list[Skipped]


def survey(roots: Sequence[Root], known: Mapping[int, SourceRow]) -> Survey:
    """Look at every file once; those of the newest session come first."""
    skipped: list[Skipped] = []
    seen: dict[int, TranscriptFile] = {}
    for root in roots:
        for file in discover(root, skipped):
            seen.setdefault(source_id(file.root.path, file.relpath), file)
    found = _newest_session_first(changed(seen.values(), known))
    left = (known[id] for id in known.keys() - seen.keys())
    gone = [source.source_id for source in left if _is_ours(source, roots) and _is_gone(source)]
    return Survey(len(seen), found, gone, skipped)


def changed(files: Iterable[TranscriptFile], known: Mapping[int, SourceRow]) -> list[Found]:
    """Of files, those that are not as they were when all of them was taken in; in their order."""
    found = []
    for file in files:
        source = known.get(source_id(file.root.path, file.relpath))
        if source is None or not _is_same(file, source):
            found.append(Found(file, source))
    return found


def placed(roots: Sequence[Root], path: str) -> TranscriptFile | None:
    """The transcript or event log a path names; None where it is none, or is gone."""
    for root in roots:
        found = _place(root, path)
        if found is None:
            continue
        project, place = found
        try:
            info = os.lstat(path)
        except OSError:
            return None
        if stat.S_ISREG(info.st_mode):
            return _walk(root).file(path, root.prefix + project, place, info)
    return None


@lru_cache(maxsize=16)
def _walk(root: Root) -> Walk:
    """Made for each file, it would cost more than the file."""
    return Walk(root)


def _place(root: Root, path: str) -> tuple[str, Class] | None:
    """The project a path lies in, and what it is there."""
    below = path.removeprefix(root.path + os.sep)
    if path.startswith(root.projects + os.sep) and path.endswith(".jsonl"):
        parts = path[len(root.projects) + 1 :].split(os.sep)
        place = classify(parts) if root.only in (None, parts[0]) else None
        return (parts[0], place) if place else None
    *above, name = below.split(os.sep)
    session = name.removesuffix(_HOOK_LOG)
    if below == path or len(above) != 2 or above[0] != "hooks" or session == name:
        return None
    return above[1], ("hook_log", session, None)


def _is_same(file: TranscriptFile, source: SourceRow) -> bool:
    now = (file.size, file.mtime_ns, file.inode)
    return source.gone_at is None and now == (source.size, source.mtime_ns, source.tail.inode)


def _newest_session_first(found: list[Found]) -> list[Found]:
    newest: dict[tuple[str, str | None], int] = {}
    for one in found:
        key = (one.file.project_id, one.file.session_id)
        newest[key] = max(newest.get(key, 0), one.file.mtime_ns)
    return sorted(
        found,
        key=lambda one: (
            -newest[one.file.project_id, one.file.session_id],
            one.file.session_id or "",
            one.file.agent_id or "",
            one.file.path,
        ),
    )


def _is_ours(source: SourceRow, roots: Sequence[Root]) -> bool:
    path = os.path.join(source.root, source.path)
    return any(source.root == root.path and path.startswith(_scope(root)) for root in roots)


def _scope(root: Root) -> str:
    return root.path if root.only is None else os.path.join(root.projects, root.only, "")


def _is_gone(source: SourceRow) -> bool:
    """Not being listed proves nothing: a directory may be closed to us for a while."""
    if source.gone_at is not None:
        return False
    try:
        info = os.lstat(os.path.join(source.root, source.path))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return not stat.S_ISREG(info.st_mode)
