"""What a status line is made from: what Claude Code says of the session, and what it came to.

Plain tuples: a status line must not wait for anything to load.
"""

from typing import NamedTuple

from unspool.model.costs import Block, Spend
from unspool.model.usage import Tokens


class Given(NamedTuple):
    """What Claude Code writes to a status line's input; None is what it did not say."""

    session_id: str = ""
    transcript: str = ""
    model: str = ""
    usd: float | None = None
    context: int | None = None  # tokens
    percent: float | None = None  # of the window


class Answer(NamedTuple):
    """What one line says about one API response."""

    message_id: str
    at: str
    model: str
    tokens: Tokens
    is_finished: bool
    is_sidechain: bool
    is_fork: bool = False
    session_id: str = ""  # the one the line says it is of


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
