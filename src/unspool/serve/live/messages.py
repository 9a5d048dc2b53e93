"""What is told -> a message, written once and cleaned once, however many read it."""

from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

from unspool.redact import Redactor


class Written(NamedTuple):
    """A message as it is sent, and its size."""

    text: str
    size: int


class _Message(Struct, frozen=True, kw_only=True, rename="camel"):
    type: str
    seq: int
    session_id: str | None
    data: Raw


class Pen:
    """Writes messages."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def data(self, told: Struct) -> Raw:
        """What a message says, without secrets."""
        return Raw(self._redactor.json(msgspec.json.encode(told)))

    def write(self, type: str, seq: int, session_id: str | None, told: Struct | Raw) -> Written:
        """A whole message."""
        data = told if isinstance(told, Raw) else self.data(told)
        message = _Message(type=type, seq=seq, session_id=session_id, data=data)
        written = msgspec.json.encode(message)
        return Written(written.decode("utf-8", "replace"), len(written))
