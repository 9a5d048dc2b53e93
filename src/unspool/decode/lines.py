"""Line -> entries. Total: every byte of a line is in one of them, and nothing raises."""

from unspool.decode.records import known
from unspool.decode.salvage import parts
from unspool.decode.values import TROUBLE
from unspool.model.transcript import Entry


def decode(line: bytes | memoryview) -> tuple[Entry, ...]:
    """Read one line: one entry, several where damage glued them together, none in a blank one."""
    try:
        return (known.decode(line),)
    except TROUBLE:
        return tuple(part.entry for part in parts(bytes(line)))
