"""How the lines of one response compare: which of them counts, and which file it belongs to."""

import struct
from typing import Final

HEAD: Final = 64 * 1024
# How a file begins: as the start of its session, as nobody can tell, as a copy would.
BEGAN, UNKNOWN, COPIED = range(3)

# What is written when a session is given its first prompt; a copy leaves it behind.
_QUEUED: Final = b'"queue-operation"'
# Programs always write it: where one is named without it, the session began elsewhere.
_PROGRAM: Final = b'"entrypoint":"sdk'
_ANSWER: Final = b'"assistant"'

_rank: Final = struct.Struct(">QBBQ")
_claim: Final = struct.Struct(">BBQBB")


def rank(output: int, is_sidechain: bool, is_final: bool, at: int | None) -> bytes:
    """Of all lines of a response the greatest is kept: most output, main thread, final, latest."""
    return _rank.pack(output, not is_sidechain, is_final, 0 if at is None else at + 1)


def ranked_at(rank: bytes) -> int | None:
    """The time of the line that a rank was made for; None where it has none."""
    at: int = _rank.unpack_from(rank)[3]
    return at - 1 if at else None


def claim(is_fork: bool, at: int | None, is_agent: bool, is_foreign: bool, start: int) -> bytes:
    """Of all files that have a response the least owns it: the one that had it first.

    A copy has the times of what it copies. It says so (`is_fork`), or its lines still carry
    another session's id (`is_foreign`), or the file does not begin as a session does (`start`).
    """
    return _claim.pack(is_fork, at is None, at or 0, is_agent, 3 if is_foreign else start)


def start(data: bytes) -> int:
    """How a file begins, by its lines before the first answer; HEAD bytes are enough."""
    answer = data.find(_ANSWER, 0, HEAD)
    end = data.rfind(b"\n", 0, answer if answer >= 0 else HEAD) + 1
    if data.find(_QUEUED, 0, end) >= 0:
        return BEGAN
    return COPIED if data.find(_PROGRAM, 0, end) >= 0 else UNKNOWN


class Start:
    """The same, told line by line."""

    def __init__(self) -> None:
        self.found = UNKNOWN
        self.is_open = True

    def feed(self, offset: int, line: bytes) -> None:
        """Take in the next line, for as long as it is open."""
        if _ANSWER in line or offset + len(line) >= HEAD:
            self.is_open = False
        elif _QUEUED in line:
            self.found, self.is_open = BEGAN, False
        elif _PROGRAM in line:
            self.found = COPIED


def is_foreign(said: str | None, session: str) -> bool:
    """Whether a line says that it is of another session than its file."""
    return bool(said and session and said != session)
