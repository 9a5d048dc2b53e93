"""Files on disk and sources known -> what has to be taken in, and what is gone."""

import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from unspool.engine.ids import source_id
from unspool.model.files import Root, SkippedFile, TranscriptFile
from unspool.model.rows import SourceRow
from unspool.source.files import is_gone
from unspool.source.session_files import transcript_files


class PendingFile(Struct, frozen=True):
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
    found: list[PendingFile]
    gone: list[int]
    skipped: list[SkippedFile]


def survey(roots: Sequence[Root], known: Mapping[int, SourceRow]) -> Survey:
    """Look at every file once; those of the newest session come first."""
    skipped: list[SkippedFile] = []
    seen: dict[int, TranscriptFile] = {}
    for root in roots:
        for file in transcript_files(root, skipped):
            seen.setdefault(source_id(file.root.path, file.relpath), file)
    found = _newest_session_first(changed(seen.values(), known))
    left = (known[id] for id in known.keys() - seen.keys())
    ours = (source for source in left if source.gone_at is None and _is_ours(source, roots))
    gone = [one.source_id for one in ours if is_gone(os.path.join(one.root, one.path))]
    return Survey(len(seen), found, gone, skipped)


def changed(files: Iterable[TranscriptFile], known: Mapping[int, SourceRow]) -> list[PendingFile]:
    """Of files, those that are not as they were when all of them was taken in; in their order."""
    found = []
    for file in files:
        source = known.get(source_id(file.root.path, file.relpath))
        if source is None or not _is_same(file, source):
            found.append(PendingFile(file, source))
    return found


def _is_same(file: TranscriptFile, source: SourceRow) -> bool:
    now = (file.size, file.mtime_ns, file.inode)
    return source.gone_at is None and now == (source.size, source.mtime_ns, source.tail.inode)


def _newest_session_first(found: list[PendingFile]) -> list[PendingFile]:
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
