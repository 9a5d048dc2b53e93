"""Plain values from one process to another, over a pair of pipes."""

import marshal
import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Lost(Exception):
    """The process at the other end is gone."""


class Link:
    """One end of the line."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._in, self._out = os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")

    def send(self, value: "Any") -> None:
        """Pass a value on; Lost where nobody takes it."""
        data = marshal.dumps(value)
        try:
            self._out.write(len(data).to_bytes(8, "big") + data)
            self._out.flush()
        except OSError as error:
            raise Lost from error

    def receive(self) -> "Any":
        """The next value; Lost where none will come."""
        size = self._in.read(8)
        data = self._in.read(int.from_bytes(size, "big"))
        if len(size) < 8 or not data:
            raise Lost
        return marshal.loads(data)  # noqa: S302 - only processes of our own hold the other end

    def close(self) -> None:
        """Hang up."""
        for end in (self._in, self._out):
            with suppress(OSError):
                end.close()
