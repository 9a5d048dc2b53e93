"""SQL functions of the views: what is kept small is shown in full."""

from collections.abc import Callable
from typing import Any, TypeAlias
from zlib import compress, crc32, decompress, error

import apsw

# Place of a line -> what a search finds in it; None where nobody has its bytes any more.
Bodies: TypeAlias = Callable[[int, int, int, int], str | None]
# The same for its bytes, which cost less.
Lines: TypeAlias = Callable[[int, int, int, int], bytes | None]

_LONG = 256


def teach(connection: apsw.Connection) -> None:
    """Make the functions known to a connection."""
    known = {"uuid_text": uuid_text, "inflated": inflated, "crc": crc}
    for name, function in known.items():
        flags = apsw.SQLITE_INNOCUOUS
        connection.create_scalar_function(name, function, 1, deterministic=True, flags=flags)


def uuid_text(*kept_as: Any) -> str:
    """A uuid as it was written; the opposite of `packed_uuid`."""
    (kept,) = kept_as
    if not isinstance(kept, bytes):
        return kept or ""
    digits = kept.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def crc(*of: Any) -> int:
    """What a long id is looked up by."""
    (name,) = of
    return crc32(name.encode("utf-8", "replace"))


def deflated(text: str) -> str | bytes:
    """A long text in fewer bytes."""
    return text if len(text) < _LONG else compress(text.encode("utf-8", "replace"))


def inflated(*kept_as: Any) -> str:
    """The text that `deflated` was given."""
    (kept,) = kept_as
    if not isinstance(kept, bytes):
        return kept or ""
    try:
        return decompress(kept).decode("utf-8", "replace")
    except error:
        return ""
