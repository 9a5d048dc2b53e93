"""Files of a session -> every record that says what was used, as we and as ccusage read it."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from unspool.decode.lines import decode
from unspool.derive.reading.messages import read
from unspool.derive.usage.ccusage import Entry, entry
from unspool.derive.usage.compare import Read
from unspool.derive.usage.explain import Told
from unspool.model.files import TranscriptFile

_WORDS: Final = (b'"assistant"', b'"usage"')


class Gathered(Struct):
    """What some files say."""

    files: int = 0
    lines: int = 0
    told: list[Told] = []
    reads: list[Read] = []


def gathered(files: Iterable[tuple[TranscriptFile, Iterable[bytes]]]) -> Gathered:
    """All lines of a session's transcripts."""
    made = Gathered()
    for file, lines in files:
        for number, line in enumerate(lines, 1):
            made.lines += 1
            if any(word in line for word in _WORDS):
                _take(made, file, number, line)
        made.files += 1
    return made


def _take(made: Gathered, file: TranscriptFile, number: int, line: bytes) -> None:
    told = [
        Told(made.files, bool(file.agent_id), message, message.tokens)
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
