"""One file -> the answers in it: looked through, not read, wherever that is enough."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from unspool.derive.reading.agent_ids import AGENT_TOOLS
from unspool.derive.usage.responses import FileStart, is_used, known_agent
from unspool.engine.usage.scan.answers import Answer, Answers, InlineAgent, Odd
from unspool.model.files import TranscriptFile
from unspool.model.usage import UsageRow
from unspool.source.claude_code import MAX_LINE_BYTES, QUIET_MS
from unspool.source.safe_open import OpenFile

WINDOW: Final = 256 * 1024
_SEARCH: Final = "WebSearch"
_SEARCHED: Final = b'"searchCount"'
_TOLD: Final = AGENT_TOOLS | {_SEARCH}  # tools whose results tell of usage
_AGENT, _RESULT, _PROGRESS = b'"agentId"', b'"toolUseResult"', b'"agent_progress"'
_NAMED: Final = re.compile(rb'"agentId"\s*:\s*"([^"\\\n]*)"')
_SIDECHAIN: Final = re.compile(rb'"isSidechain"(?!:false)')
_BLANK: Final = b" \t\r\n\v\f\0\xef\xbb\xbf"


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
                return _look_through(file, opened, now, SidechainLines())
    except Odd:
        return _read_whole(file, now)


class SidechainLines:
    """Names the agents of a main file's sidechain lines, as the index does. Feed all windows."""

    def __init__(self) -> None:
        from unspool.derive.agents.inline import InlineAgents  # noqa: PLC0415 - few files have any

        self._agents = InlineAgents()

    def agents(self, data: bytes, stop: int) -> dict[int, str]:
        """The agent of each sidechain line in a window, by where it begins; Odd if one is odd."""
        found: dict[int, str] = {}
        end = 0
        for match in _SIDECHAIN.finditer(data, 0, stop):
            if match.start() >= end:
                begin = data.rfind(b"\n", 0, match.start()) + 1
                end = data.find(b"\n", match.start(), stop)
                end = end if end >= 0 else stop
                if agent := self._agent(data[begin:end]):
                    found[begin] = agent
        return found

    def _agent(self, line: bytes) -> str:
        from unspool.decode.lines import decode  # noqa: PLC0415 - few files have any
        from unspool.derive.reading.messages import read  # noqa: PLC0415
        from unspool.model.transcript import Unreadable  # noqa: PLC0415

        entries = decode(line)
        if len(entries) != 1 or isinstance(entries[0], Unreadable):
            raise Odd
        message = read(entries[0], 0)
        if message is None or not message.is_sidechain:
            return ""
        if not message.uuid:
            raise Odd  # its number names it
        return self._agents.name(message).agent_id


class ResultLines:
    """Finds the lines, beside answers, that tell of usage: of searches, of agents that ran.

    Feed all windows.
    """

    def __init__(self, *, is_agent: bool) -> None:
        self._is_agent = is_agent
        self._names: set[tuple[bytes, ...]] = set()

    def lines(self, tools: AbstractSet[str], data: bytes, stop: int) -> Iterator[bytes]:
        """Those of a window; `tools` are the ones called so far: without a call, no result."""
        if _SEARCH in tools:
            yield from _lines_with(_SEARCHED, data, stop)
        if not AGENT_TOOLS.isdisjoint(tools):
            yield from self._starting(data, stop)

    def _starting(self, data: bytes, stop: int) -> Iterator[bytes]:
        """Results that name an agent, and of the many lines of its progress the first."""
        for word in (_RESULT, _PROGRESS) if self._is_agent else (_AGENT,):
            for line in _lines_with(word, data, stop):
                is_own = self._is_agent or _SIDECHAIN.search(line)
                if line.count(_AGENT) < (2 if is_own else 1):
                    continue  # an agent's own lines all name it
                if _RESULT in line or (_PROGRESS in line and self._is_first(line)):
                    yield line

    def _is_first(self, line: bytes) -> bool:
        names = (*_NAMED.findall(line),)
        is_first = names not in self._names
        self._names.add(names)
        return is_first


def _look_through(
    file: TranscriptFile, opened: OpenFile, now: int, sidechain: SidechainLines | None = None
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
            line = data[begin:end]
            # A damaged line may call a tool as well.
            found.tools.update(name for name in _TOLD if f'"{name}"'.encode() in line)
            if not _is_mended(found, line):
                rows += _line_rows(file, line, start)
        for line in results.lines(found.tools, data, stop):
            rows += _line_rows(file, line, start)
    rows += map(known_agent, found.agents)
    info = windows.info
    mtime_ns = 0 if windows.is_waiting else info.st_mtime_ns
    return FileScan(found.known, rows, start, info.st_size, mtime_ns)


def _lines_with(word: bytes, data: bytes, stop: int) -> Iterator[bytes]:
    """The lines up to `stop` that have a word."""
    hit = data.find(word, 0, stop)
    while hit >= 0:
        end = data.find(b"\n", hit, stop)
        end = end if end >= 0 else stop
        yield data[data.rfind(b"\n", 0, hit) + 1 : end]
        hit = data.find(word, end, stop)


def _is_mended(found: Answers, line: bytes) -> bool:
    """Read the whole records in a damaged line; whether there was no more to it."""
    from unspool.decode.lines import salvage_parts  # noqa: PLC0415 - few lines are damaged
    from unspool.model.transcript import Unreadable  # noqa: PLC0415

    records = [
        line[part.start : part.end].strip(_BLANK)
        for part in salvage_parts(line)
        if not isinstance(part.entry, Unreadable)
    ]
    if any(Answers(found.agent).read(record, len(record)) for record in records):
        return False
    found.inline = {}  # names lines of the window, not of a record
    for record in records:
        found.read(record, len(record))
    return True


def _line_rows(file: TranscriptFile, line: bytes, start: FileStart) -> Iterator[UsageRow]:
    """Rows of one line, as the index reads it; Odd where it takes the lines before it."""
    from unspool.decode.lines import decode  # noqa: PLC0415 - few lines are odd
    from unspool.derive.reading.messages import read  # noqa: PLC0415
    from unspool.derive.usage.file_usage import UsageReader, message_key  # noqa: PLC0415

    reader = UsageReader(file.session_id or "", file.agent_id or "", 0, start)
    for entry in decode(line):
        message = read(entry, 0)
        for row in reader.rows(message, entry, 0):
            is_inline = message is not None and message.is_sidechain and not file.agent_id
            is_timeless = row.timestamp is None and is_used(row)
            if is_timeless or is_inline or (message and not message_key(message)):
                raise Odd
            yield row


def _read_whole(file: TranscriptFile, now: int) -> FileScan:
    """Read a file the way the index does."""
    from unspool.engine.indexing.intake import Intake  # noqa: PLC0415 - few files are odd

    intake, rows = Intake(file), list[UsageRow]()
    for _, batch in intake.batches(now):
        rows += [row._replace(line_id=0) for row in batch.usage]
    source = intake.source
    return FileScan({}, rows, FileStart(), source.size, source.mtime_ns)
