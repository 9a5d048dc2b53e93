"""What one API response used, however many lines and files repeat it.

Plain tuples: a status line, and a report asked for again, must not wait for anything to load.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

# How tokens become money: as the API bills them, or as claude-devtools counted them.
Mode: TypeAlias = Literal["billing", "devtools"]


class Tokens(NamedTuple):
    """The billed counts of one line, its nulls and gaps filled in."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0  # all writes: max(top-level count, 5m + 1h)
    write_5m: int = 0
    write_1h: int = 0
    web_searches: int = 0
    speed: str = ""
    geo: str = ""

    @property
    def prompt(self) -> int:
        """What the model read: the measured context of this request."""
        return self.input + self.cache_read + self.cache_write


class UsageRow(NamedTuple):
    """What one line says about one API response, or what all its lines say together.

    `derive/usage` decides how lines are merged: the greatest `rank` gives model and tokens, the
    least `claim` the owner, both compared as bytes.
    """

    message_key: str
    rank: bytes
    claim: bytes
    timestamp: int | None  # of the earliest line; the response is priced by it
    is_finished: bool  # some line says why it stopped; else its output may be more
    model: str
    tokens: Tokens
    agent_id: str
    line_id: int  # where its owner first wrote it; 0: not known
    usd_pico: int | None = None  # None: not priced, or no price is known


# What a response costs by all its lines, in picodollars; None where no price is known.
Price: TypeAlias = Callable[[UsageRow], int | None]


class OwnedUsage(NamedTuple):
    """A response, and the session it counts for."""

    project_id: str
    session_id: str
    row: UsageRow
