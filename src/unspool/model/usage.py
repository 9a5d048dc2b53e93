"""What API responses used, in the rows of reports and of a status line.

Plain tuples: a status line, and a report asked for again, must not wait for anything to load.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

# How tokens become money: as the API bills them, or as claude-devtools counted them.
Mode: TypeAlias = Literal["billing", "devtools"]

# The model of web searches: they cost the same whichever model asked for them.
WEB_SEARCH = "web search"
# The model of an agent that ran and left nothing that says what it used: a lower bound of nothing.
UNKNOWN_AGENT = "unknown agent"


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


class HourSpend(NamedTuple):
    """Dollars of one hour of the week, and the day on which it cost most, as 2026-11-09."""

    usd: float
    day: str = ""


class OwnedUsage(NamedTuple):
    """A response, and the session it counts for."""

    project_id: str
    session_id: str
    row: UsageRow


# In the order of `UsageTotal`: quarter, project, session, agent, model, then as in `Spend`.
TotalRow: TypeAlias = tuple[int | str, ...]


class Spend(NamedTuple):
    """What some responses used, added up; money in 1e-12 USD, times in milliseconds."""

    input: int = 0
    output: int = 0
    read: int = 0
    write: int = 0
    searches: int = 0
    pico: int = 0
    unpriced: int = 0  # responses without a known price
    lower_bound: int = 0  # responses whose output may be more
    responses: int = 0
    first_at: int = 0
    last_at: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input + self.output + self.read + self.write

    @property
    def usd(self) -> float | None:
        """In dollars; None where nothing of it has a price."""
        return None if self.unpriced and not self.pico else self.pico / 10**12

    @property
    def is_least(self) -> bool:
        """Whether it cost more than that: some of it is unfinished, or has no price."""
        return bool(self.lower_bound or self.unpriced)


class CostRow(NamedTuple):
    """One line of a report: a day, week, month, session, project or model."""

    name: str
    spend: Spend
    models: dict[str, Spend]  # most expensive first
    project: str = ""  # a session's
    unknown_agents: int = 0  # that ran, and nothing tells what they used


class Report(NamedTuple):
    """Rows, and what they come to."""

    rows: list[CostRow]
    total: CostRow


class CostBlock(NamedTuple):
    """A window of five hours that usage is counted in, or a gap between two."""

    start: int
    end: int
    spend: Spend = Spend()
    models: tuple[str, ...] = ()
    unpriced: tuple[str, ...] = ()  # those of the models that have no known price
    is_gap: bool = False
    is_active: bool = False


class Pace(NamedTuple):
    """How fast a block is being used, and what it comes to at that pace."""

    tokens_per_minute: float
    spoken_per_minute: float  # without the cache
    usd_per_hour: float
    minutes_left: int
    tokens: int
    usd: float


class QuotaWindow(NamedTuple):
    """How much of a usage limit is used, in percent, and when it starts again, in milliseconds."""

    used: float
    resets_at: int


class Quota(NamedTuple):
    """What Claude Code said of its limits at a time; None is a window it did not name."""

    at: int
    five_hour: QuotaWindow | None = None
    seven_day: QuotaWindow | None = None


class QuotaRow(NamedTuple):
    """A window of which another share is used than before, or that has another reset."""

    at: int
    span: str  # 5h or 7d
    used_percent: float
    resets_at: int
    session_id: str  # whose status line was told; "" if nobody noted it


class ApiError(NamedTuple):
    """Why a session stopped; `until` is None where nobody says when the limit is reset."""

    state: Literal["limited", "failed"]
    text: str
    until: int | None = None


class QuotaPace(NamedTuple):
    """A window that still runs; both in percent, so that they can be compared."""

    window: str  # 5h or 7d
    used: float
    elapsed: float
    resets_at: int
    at: int  # when Claude Code said so

    @property
    def is_ahead(self) -> bool:
        """Whether the limit will be reached before the reset, if use goes on like this."""
        return self.used > self.elapsed

    @property
    def pace(self) -> float | None:
        """Shares used and elapsed, one by the other: at 1 it lasts exactly until the reset."""
        return round(self.used / self.elapsed, 2) if self.elapsed else None


class StatuslineInput(NamedTuple):
    """What Claude Code writes to a status line's input; None is what it did not say."""

    session_id: str = ""
    transcript: str = ""
    model: str = ""
    usd: float | None = None
    context: int | None = None  # tokens
    percent: float | None = None  # of the window
    five_hour: QuotaWindow | None = None
    seven_day: QuotaWindow | None = None


class LineUsage(NamedTuple):
    """What one line says about one API response."""

    message_id: str
    at: str
    model: str
    tokens: Tokens
    is_finished: bool
    is_sidechain: bool
    is_fork: bool = False
    session_id: str = ""  # the one the line says it is of


class StatuslineTotals(NamedTuple):
    """How things stand; `is_whole` says whether all there is to read was read."""

    session: Spend = Spend()
    today: Spend = Spend()
    block: CostBlock | None = None
    usd_per_hour: float | None = None
    tokens_per_minute: float = 0.0  # without the cache
    minutes_left: int = 0
    is_session_whole: bool = True
    is_whole: bool = True
