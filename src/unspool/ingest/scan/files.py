"""One file -> what it says was used: looked through, not read, wherever that is enough."""

from typing import NamedTuple

from msgspec import structs

from unspool.derive.usage.responses import HEAD, FileStart
from unspool.ingest.ids import source_id
from unspool.ingest.scan.merge import Answer, Answers, Odd
from unspool.ingest.scan.windows import windows
from unspool.model.files import TranscriptFile
from unspool.model.rows import SourceRow
from unspool.model.usage import UsageRow
from unspool.source.reader import FileLines


class Scan(NamedTuple):
    """What a file says from where it was read on, and how far that is.

    Most of it is answers by their ids; rows are of lines that had to be looked at closely.
    """

    source: SourceRow
    answers: dict[str, Answer]
    rows: list[UsageRow]
    start: FileStart


def unread(file: TranscriptFile, generation: int = 0) -> SourceRow:
    """A file nothing has been taken from in this generation."""
    return SourceRow(
        source_id=source_id(file.root.path, file.relpath),
        root=file.root.path,
        path=file.relpath,
        kind=file.kind,
        project_id=file.project_id,
        session_id=file.session_id or "",
        agent_id=file.agent_id or "",
        generation=generation,
    )


def scan(file: TranscriptFile, source: SourceRow) -> Scan:
    """Look through a file from the source's offset on; NotFound or SourceError if it is shut."""
    try:
        with FileLines(file.path) as opened:
            return _looked_through(opened, file, source)
    except Odd:
        from unspool.ingest.scan.closely import file_rows  # noqa: PLC0415 - few files are odd

        moved, rows = file_rows(file, source)
        return Scan(moved, {}, rows, FileStart())


def _looked_through(opened: FileLines, file: TranscriptFile, source: SourceRow) -> Scan:
    info, end = opened.stat(), source.offset
    said, rows, start = Answers(source.agent_id), list[UsageRow](), FileStart()
    for base, data, stop in windows(opened, source.offset, info.st_size):
        if base == source.offset:
            start.feed_lines(0, data if base == 0 else opened.read(0, HEAD))
        end = base + data.rfind(b"\n", 0, stop) + 1
        for begin, line_end in said.read(data, base, stop):
            place, line = base + begin, data[begin : min(line_end + 1, stop)]
            if not _mended(said, place, line):
                rows += _closely(file, source, (place, line, start))
    moved = structs.replace(source, offset=end, size=info.st_size, mtime_ns=info.st_mtime_ns)
    return Scan(moved, said.known, rows, start)


def _mended(said: Answers, offset: int, line: bytes) -> bool:
    """Read the whole records in a damaged line; whether there was no more to it."""
    from unspool.ingest.scan.mend import records  # noqa: PLC0415 - few lines are damaged

    found = list(records(line))
    if any(Answers(said.agent).read(record, 0, len(record)) for _, record in found):
        return False
    for at, record in found:
        said.read(record, offset + at, len(record))
    return True


def _closely(
    file: TranscriptFile, source: SourceRow, found: tuple[int, bytes, FileStart]
) -> list[UsageRow]:
    from unspool.ingest.scan.closely import line_rows  # noqa: PLC0415 - fewer still are odd

    return list(line_rows(file, source, *found))
