"""Line -> entries. Total: every byte of a line is in one of them, and nothing raises."""

from unspool.decode.records import known
from unspool.decode.salvage import parts
from unspool.decode.values import TROUBLE
from unspool.model.transcript import Entry, Unreadable


def decode(line: bytes | memoryview) -> tuple[Entry, ...]:
    """Read one line: one entry, several where damage glued them together, none in a blank one."""
    try:
        return (known.decode(line),)
    except TROUBLE:
        return tuple(part.entry for part in parts(bytes(line)))


def is_whole(line: bytes) -> bool:
    """Whether an unfinished line is worth showing: nothing of it is missing but its newline."""
    entries = decode(line)
    return bool(entries) and not any(isinstance(entry, Unreadable) for entry in entries)
