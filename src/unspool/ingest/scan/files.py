"""One file -> what it says was used: looked through, not read, wherever that is enough."""

from msgspec import Struct, structs

from unspool.derive.money.pricer import Pricer
from unspool.ingest.ids import source_id
from unspool.ingest.scan.merge import Answers, Odd, Told
from unspool.ingest.scan.windows import windows
from unspool.model.files import TranscriptFile
from unspool.model.rows import SourceRow, UsageRow
from unspool.source.reader import FileLines


class Scan(Struct, frozen=True):
    """What a file says from where it was read on, and how far that is.

    Most of it is answers by their ids; rows are of lines that had to be looked at closely.
    """

    source: SourceRow
    answers: dict[str, Told] = {}
    rows: list[UsageRow] = []


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


def scan(file: TranscriptFile, source: SourceRow, pricer: Pricer) -> Scan:
    """Look through a file from the source's offset on; NotFound or SourceError if it is shut."""
    try:
        with FileLines(file.path) as opened:
            return _looked_through(opened, file, source, pricer)
    except Odd:
        from unspool.ingest.scan.closely import file_rows  # noqa: PLC0415 - few files are odd

        moved, rows = file_rows(file, source, pricer)
        return Scan(moved, rows=rows)


def _looked_through(
    opened: FileLines, file: TranscriptFile, source: SourceRow, pricer: Pricer
) -> Scan:
    info, end = opened.stat(), source.offset
    said, rows = Answers(source.source_id, source.generation), list[UsageRow]()
    for base, data in windows(opened, source.offset, info.st_size):
        end = base + data.rfind(b"\n") + 1
        for begin, stop in said.read(data, base):
            place, line = base + begin, data[begin : stop + 1]
            if not _mended(said, place, line):
                rows += _closely(file, source, pricer, place, line)
    moved = structs.replace(source, offset=end, size=info.st_size, mtime_ns=info.st_mtime_ns)
    return Scan(moved, said.settle(), rows)


def _mended(said: Answers, offset: int, line: bytes) -> bool:
    """Read the whole records in a damaged line; whether there was no more to it."""
    from unspool.ingest.scan.mend import records  # noqa: PLC0415 - few lines are damaged

    found = list(records(line))
    if any(Answers(0, 0).read(record, 0) for _, record in found):
        return False
    for start, record in found:
        said.read(record, offset + start)
    return True


def _closely(
    file: TranscriptFile, source: SourceRow, pricer: Pricer, offset: int, line: bytes
) -> list[UsageRow]:
    from unspool.ingest.scan.closely import line_rows  # noqa: PLC0415 - fewer still are odd

    return list(line_rows(file, source, pricer, offset, line))
