"""Files, archive and index, read again and compared -> what is wrong, and what puts it right."""

import os
from collections.abc import Iterator

from msgspec import Struct

from unspool.engine.indexing.indexer import Indexer, SweepReport
from unspool.engine.indexing.outputs import verify_outputs
from unspool.engine.indexing.segments import archive_from, lost_message, whole_until
from unspool.errors import NotFound, SourceError
from unspool.model.health import Finding
from unspool.model.rows import SourceRow
from unspool.source import tail
from unspool.source.safe_open import OpenFile
from unspool.source.tail import LineBuffer
from unspool.store import Store

REBUILD = "unspool index rebuild"

_STRIDE = 1024 * 1024
_BLANK = b" \t\r\v\f\xef\xbb\xbf"


class VerifyReport(Struct, frozen=True, kw_only=True):
    """What was compared, what did not agree, and what the sweep that followed did about it."""

    files: int
    bytes: int
    findings: tuple[Finding, ...]
    sweep: SweepReport


def verify(store: Store, indexer: Indexer, now: int) -> VerifyReport:
    """Compare everything. A file that was edited in place is indexed again."""
    sources = list(indexer.sources().values())
    findings = [finding for source in sources for finding in _archive(store, source)]
    findings += verify_outputs(store)
    damage = store.check(thorough=True)
    findings += [_wrong("index", message, REBUILD) for message in damage]
    counts = None if damage else store.line_counts()
    for source in sources:
        if source.gone_at is None:
            findings += _file(source, indexer, counts)
    return VerifyReport(
        files=len(sources),
        bytes=sum(source.offset for source in sources),
        findings=tuple(findings),
        sweep=indexer.sweep(now),
    )


def _archive(store: Store, source: SourceRow) -> Iterator[Finding]:
    whole = whole_until(store, source)
    if whole >= source.offset:
        return
    if archive_from(store, source, whole):
        message = f"{source.path}: the archive was damaged at byte {whole}; repaired from the file."
        yield Finding(about="archive", grade="note", said=message)
    else:
        yield _wrong("archive", lost_message(source, whole))


def _file(
    source: SourceRow, indexer: Indexer, counts: dict[tuple[int, int], int] | None
) -> Iterator[Finding]:
    path = os.path.join(source.root, source.path)
    try:
        is_same = tail.verify(path, source.tail)
        lines, spoken = _lines(path, source.offset) if is_same else (0, 0)
    except NotFound:
        return
    except SourceError as error:
        yield _wrong("file", str(error))
        return
    if not is_same:
        indexer.begin_anew(source)
        message = f"{source.path} was edited before byte {source.offset}; it is indexed again."
        yield Finding(about="file", grade="note", said=message)
        return
    if source.size > source.offset:
        indexer.look_again(source)  # nothing proves an unfinished line but the line itself
    stored = counts.get((source.source_id, source.generation), 0) if counts is not None else spoken
    if (source.lines, stored) != (lines, spoken):
        message = f"{source.path} has {spoken} lines with content, but the index has {stored}."
        yield _wrong("index", message, REBUILD)


def _lines(path: str, end: int) -> tuple[int, int]:
    """How many lines there are before an offset, and how many of them are not blank."""
    lines = spoken = at = 0
    buffer = LineBuffer()
    with OpenFile(path) as file:
        while at < end and (data := file.read(at, min(_STRIDE, end - at))):
            at += len(data)
            for line in buffer.feed(data):
                lines += 1
                spoken += not isinstance(line, tuple) or bool(line[1].strip(_BLANK))
    return lines, spoken


def _wrong(about: str, message: str, fix: str = "") -> Finding:
    return Finding(about=about, grade="wrong", said=message, fix=fix)
