"""What the live board shows: every session that is at work, what it waits for, what it spends."""

from msgspec import Struct

from unspool.model.alerts import Alert
from unspool.model.document import SessionInfo, TotalMetrics


class Spend(Struct, frozen=True, kw_only=True, rename="camel"):
    """Tokens and dollars of a day or a session; a sum that lacks a price names the models."""

    tokens: int = 0
    cost_usd: float | None = 0.0
    unpriced: tuple[str, ...] = ()


class BoardRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """One session as it stands now."""

    session: SessionInfo  # status, since, evidence, pending tool, goal and output are in it
    metrics: TotalMetrics = TotalMetrics()
    waits_for: str = ""  # one line: the call to approve, the question to answer
    running: tuple[str, ...] = ()  # calls at work, one line each, oldest first
    agents: tuple[str, ...] = ()  # agents at work, by what they were sent to do
    context_tokens: int = 0
    context_limit: int | None = None  # None: not known for this model
    today: Spend = Spend()
    alerts: tuple[Alert, ...] = ()  # of this session since the board began, newest last


class Board(Struct, frozen=True, kw_only=True, rename="camel"):
    """All of them at one moment."""

    at: int
    rows: tuple[BoardRow, ...] = ()
    today: Spend = Spend()  # of everything, sessions that have ended included
    alerts: tuple[Alert, ...] = ()  # about the day as a whole
