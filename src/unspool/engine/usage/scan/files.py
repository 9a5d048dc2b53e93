"""One file -> the answers in it: looked through, not read, wherever that is enough."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from unspool.derive.usage.responses import FileStart, known_agent
from unspool.engine.usage.scan.answers import Answer, Answers, InlineAgent, Odd
from unspool.engine.usage.scan.results import TELLING, ResultLines, agent_started
from unspool.model.files import TranscriptFile
from unspool.model.usage import UsageRow
from unspool.source.claude_code import MAX_LINE_BYTES, QUIET_MS
from unspool.source.safe_open import OpenFile

if TYPE_CHECKING:
    from unspool.engine.usage.scan.closer import SidechainLines

WINDOW: Final = 256 * 1024


class FileScan(NamedTuple):
    """What a file says: answers by their keys, and rows of lines that needed a closer look."""

    answers: dict[str, Answer]
    rows: list[UsageRow]
    start: FileStart
    size: int
    mtime_ns: int  # 0: its last line is unfinished, and may count later


class ReadWindow(NamedTuple):
    """A stretch of a file; the lines in it end where `stop` is."""

    base: int
    data: bytes
    stop: int


class Windows:
    """A file in stretches of whole lines. A line longer than `longest` is in none of them.

    An unfinished last line comes as a window of its own, if it counts: when nobody has written
    for a while and nothing of it is missing but the newline. `is_waiting` tells that it may later.
    """

    def __init__(
        self, file: OpenFile, now: int, *, window: int = WINDOW, longest: int = MAX_LINE_BYTES
    ) -> None:
        self.info = file.stat()
        self.is_waiting = False
        self._file, self._now = file, now
        self._window, self._longest = min(window, longest + 1), longest

    def __iter__(self) -> Iterator[ReadWindow]:
        at, size, read = 0, self.info.st_size, self._file.read
        while at < size and (data := read(at, min(self._window, size - at))):
            # Not cut off: that would copy all of it.
            stop = data.rfind(b"\n") + 1
            if stop:
                yield ReadWindow(at, data, stop)
                at += stop
                continue
            end = self._line_end(at)
            if end is None:
                yield from self._unfinished(at)
                return
            if end - at - 1 <= self._longest:
                yield ReadWindow(at, read(at, end - at), end - at)
            at = end

    def _line_end(self, at: int) -> int | None:
        """Where the line that begins here ends; None where it is not finished."""
        size = self.info.st_size
        while at < size and (chunk := self._file.read(at, min(WINDOW, size - at))):
            found = chunk.find(b"\n") + 1
            if found:
                return at + found
            at += len(chunk)
        return None

    def _unfinished(self, at: int) -> Iterator[ReadWindow]:
        if not is_quiet(self.info.st_mtime_ns, self._now):
            self.is_waiting = True
        elif (length := self.info.st_size - at) <= self._longest:
            from unspool.decode.lines import is_whole  # noqa: PLC0415 - few files end so

            line = self._file.read(at, length)
            if is_whole(line):
                yield ReadWindow(at, line + b"\n", len(line) + 1)


def is_quiet(mtime_ns: int, now: int) -> bool:
    """Whether an unfinished last line may count: nobody has written for a while."""
    return abs(now - mtime_ns // 1_000_000) >= QUIET_MS


def scan(file: TranscriptFile, now: int) -> FileScan:
    """Look through a file; NotFound or SourceError if it cannot be opened."""
    try:
        with OpenFile(file.path) as opened:
            try:
                return _look_through(file, opened, now)
            except InlineAgent:
                from unspool.engine.usage.scan.closer import SidechainLines  # noqa: PLC0415

                return _look_through(file, opened, now, SidechainLines())
    except Odd:
        return _read_whole(file, now)


def _look_through(
    file: TranscriptFile, opened: OpenFile, now: int, sidechain: "SidechainLines | None" = None
) -> FileScan:
    found, rows, start = Answers(file.agent_id or ""), list[UsageRow](), FileStart()
    windows, results = Windows(opened, now), ResultLines(is_agent=bool(file.agent_id))
    for base, data, stop in windows:
        if start.is_open:
            start.feed_lines(base, data)
        if sidechain is not None:
            found.inline = sidechain.agents(data, stop)
        found.note_agent(file.agent_id)
        for begin, end in found.read(data, stop):
            rows += _odd_rows(file, data[begin:end], start, found)
        for line in results.lines(found.tools, data, stop):
            agent = agent_started(file, line, start)
            rows += (agent,) if agent else _line_rows(file, line, start)
    rows += map(known_agent, found.agents)
    info = windows.info
    mtime_ns = 0 if windows.is_waiting else info.st_mtime_ns
    return FileScan(found.known, rows, start, info.st_size, mtime_ns)


def _odd_rows(
    file: TranscriptFile, line: bytes, start: FileStart, found: Answers
) -> Iterable[UsageRow]:
    """Rows of a line that is damaged or reports an answer; answers in it go to the others."""
    from unspool.engine.usage.scan.closer import is_mended  # noqa: PLC0415 - few lines are odd

    for name in TELLING:  # a damaged line may call a tool as well
        if f'"{name}"'.encode() in line:
            found.note_tool(name)
    return () if is_mended(found, line) else _line_rows(file, line, start)


def _line_rows(file: TranscriptFile, line: bytes, start: FileStart) -> Iterable[UsageRow]:
    from unspool.engine.usage.scan.closer import line_rows  # noqa: PLC0415 - few lines are odd

    return line_rows(file, line, start)


def _read_whole(file: TranscriptFile, now: int) -> FileScan:
    """Read a file the way the index does."""
    from unspool.engine.indexing.intake import Intake  # noqa: PLC0415 - few files are odd

    intake, rows = Intake(file), list[UsageRow]()
    for _, batch in intake.batches(now):
        rows += [row._replace(line_id=0) for row in batch.usage]
    source = intake.source
    return FileScan({}, rows, FileStart(), source.size, source.mtime_ns)
