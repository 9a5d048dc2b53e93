"""Lines that need a closer look -> what they tell of usage, read as the index reads them.

What takes long to load is loaded here, and this only where a file has such a line.
"""

from collections.abc import Iterator
from typing import Final

from unspool.decode.lines import decode, salvage_parts
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.reading.messages import read
from unspool.derive.usage.file_usage import UsageReader, message_key
from unspool.derive.usage.responses import FileStart, is_used
from unspool.engine.usage.scan.answers import SIDECHAIN, Answers, Odd
from unspool.model.files import TranscriptFile
from unspool.model.transcript import Unreadable
from unspool.model.usage import UsageRow

_BLANK: Final = b" \t\r\n\v\f\0\xef\xbb\xbf"


class SidechainLines:
    """Names the agents of a main file's sidechain lines, as the index does. Feed all windows."""

    def __init__(self) -> None:
        self._agents = InlineAgents()

    def agents(self, data: bytes, stop: int) -> dict[int, str]:
        """The agent of each sidechain line in a window, by where it begins; Odd if one is odd."""
        found: dict[int, str] = {}
        end = 0
        for match in SIDECHAIN.finditer(data, 0, stop):
            if match.start() >= end:
                begin = data.rfind(b"\n", 0, match.start()) + 1
                end = data.find(b"\n", match.start(), stop)
                end = end if end >= 0 else stop
                if agent := self._agent(data[begin:end]):
                    found[begin] = agent
        return found

    def _agent(self, line: bytes) -> str:
        entries = decode(line)
        if len(entries) != 1 or isinstance(entries[0], Unreadable):
            raise Odd
        message = read(entries[0], 0)
        if message is None or not message.is_sidechain:
            return ""
        if not message.uuid:
            raise Odd  # its number names it
        return self._agents.name(message).agent_id


def is_mended(found: Answers, line: bytes) -> bool:
    """Read the whole records in a damaged line; whether there was no more to it."""
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


def line_rows(file: TranscriptFile, line: bytes, start: FileStart) -> Iterator[UsageRow]:
    """Rows of one line, as the index reads it; Odd where it takes the lines before it."""
    reader = UsageReader(file.session_id or "", file.agent_id or "", 0, start)
    for entry in decode(line):
        message = read(entry, 0)
        for row in reader.rows(message, entry, 0):
            is_inline = message is not None and message.is_sidechain and not file.agent_id
            is_timeless = row.timestamp is None and is_used(row)
            if is_timeless or is_inline or (message and not message_key(message)):
                raise Odd
            yield row
