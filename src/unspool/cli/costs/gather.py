"""Files of a session -> every record that says what was used, as we and as ccusage read it."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from unspool.decode.lines import decode
from unspool.derive.reading.messages import read
from unspool.derive.usage.ccusage import Entry, entry
from unspool.derive.usage.compare import Read
from unspool.derive.usage.explain import Told
from unspool.ingest.scan.windows import windows
from unspool.model.files import TranscriptFile
from unspool.source.reader import FileLines

_WORDS: Final = (b'"assistant"', b'"usage"')


class Gathered(Struct):
    """What some files say."""

    lines: int = 0
    told: list[Told] = []
    reads: list[Read] = []


def gathered(files: Sequence[TranscriptFile]) -> Gathered:
    """Read whole files; SourceError or NotFound where one cannot be."""
    made = Gathered()
    for n, file in enumerate(files):
        for number, line in _lines(file):
            made.lines += 1
            if any(word in line for word in _WORDS):
                _take(made, n, file, number, line)
    return made


def _lines(file: TranscriptFile) -> Iterator[tuple[int, bytes]]:
    number = 0
    with FileLines(file.path) as opened:
        for _, data, stop in windows(opened, 0, opened.stat().st_size):
            for line in data[:stop].removesuffix(b"\n").split(b"\n"):
                number += 1
                yield number, line


def _take(made: Gathered, n: int, file: TranscriptFile, number: int, line: bytes) -> None:
    told = [
        Told(n, bool(file.agent_id), message, message.tokens)
        for part, record in enumerate(decode(line))
        if (message := read(record, number, part)) is not None and message.tokens is not None
    ]
    made.told += told
    theirs = entry(line, file.session_id or "")
    if told or isinstance(theirs, Entry):
        made.reads.append(Read(told[0].key if told else None, theirs))
    # Of records glued together ccusage reads none.
    why = theirs if isinstance(theirs, str) else ""
    made.reads += [Read(one.key, why) for one in told[1:]]
