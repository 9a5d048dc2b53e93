"""Random bits -> the names Claude Code gives its things."""

from __future__ import annotations

from random import Random

_LETTERS = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ANY_BYTE = (_LETTERS * 5)[:256]


class Ids:
    """Names in the shapes transcripts have, drawn from one source of chance."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def uuid(self) -> str:
        """Name an entry or a session."""
        bits = self._rng.getrandbits(128) & ~(0xF << 76) & ~(0x3 << 62) | 4 << 76 | 2 << 62
        digits = f"{bits:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def hex(self, digits: int) -> str:
        """Name an agent, a task or a run."""
        return f"{self._rng.getrandbits(4 * digits):0{digits}x}"

    def named(self, kind: str) -> str:
        """Name an API object: a message, a request or a tool call."""
        return f"{kind}01{self._rng.randbytes(22).translate(_ANY_BYTE).decode()}"
