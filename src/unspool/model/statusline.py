"""What a status line is made from: what Claude Code says of the session, and what it came to.

Plain tuples: a status line must not wait for anything to load.
"""

from typing import NamedTuple

from unspool.model.costs import Block, Spend


class Given(NamedTuple):
    """What Claude Code writes to a status line's input; None is what it did not say."""

    session_id: str = ""
    transcript: str = ""
    model: str = ""
    usd: float | None = None
    context: int | None = None  # tokens
    percent: float | None = None  # of the window


class Used(NamedTuple):
    """The billed counts of one line, as in `Tokens`."""

    input: int = 0
    output: int = 0
    read: int = 0
    write: int = 0
    write_5m: int = 0
    write_1h: int = 0
    searches: int = 0
    speed: str = ""
    geo: str = ""


class Answer(NamedTuple):
    """One line's word on one API response."""

    key: str
    at: str
    model: str
    used: Used
    is_finished: bool
    is_sidechain: bool
    session: str = ""


class Counted(NamedTuple):
    """What the ledger already has of a response."""

    output: int
    pico: int | None


class Standing(NamedTuple):
    """How things stand; `is_whole` says whether all there is to read was read."""

    session: Spend = Spend()
    today: Spend = Spend()
    block: Block | None = None
    usd_per_hour: float | None = None
    tokens_per_minute: float = 0.0  # without the cache
    minutes_left: int = 0
    is_session_whole: bool = True
    is_whole: bool = True
