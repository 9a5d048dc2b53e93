"""Options for reading sessions and for the live board: time, prices, other sources."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.derive.whole import Prices
from unspool.engine.hooks.events import SpoolEvents
from unspool.engine.quota import RecentQuota, no_quota
from unspool.engine.sessions.grouping import Grouping
from unspool.engine.sessions.marks import AllMarks
from unspool.engine.sessions.ownership import Owners
from unspool.model.alerts import AlertRule
from unspool.model.session import BoardSpend
from unspool.model.usage import Quota

# Where an administrator puts instructions for everybody.
ENTERPRISE = Path("/etc/claude-code/CLAUDE.md")
_DAY: Final = 86_400_000

# A moment -> what each session, by project and id, used since then.
Elsewhere: TypeAlias = Callable[[int], Mapping[tuple[str, str], BoardSpend]]


class ReadingOptions(Struct, frozen=True):
    """The same for every session that is read with them."""

    now: int
    prices: Prices
    enterprise: Path = ENTERPRISE
    home: Path | None = None
    spooled: SpoolEvents | None = None  # hook events outside of session logs
    marks: AllMarks = {}  # what the user decided about sessions
    owners: Owners | None = None  # tells copied responses from a session's own
    groups: Grouping = Grouping()  # which project each checkout belongs to
    recent_quota: RecentQuota = no_quota  # when a limit is reset, where its message does not say


def utc_midnight(now: int) -> int:
    """Midnight in UTC."""
    return now - now % _DAY


class BoardOptions(Struct, frozen=True, kw_only=True):
    """What a live board reads beside the roots."""

    spool: str = ""  # the directory where hooks leave their events
    midnight: Callable[[int], int] = utc_midnight
    elsewhere: Elsewhere | None = None  # the ledger, for sessions that are not on the board
    rules: Sequence[AlertRule] = ()
    notified: frozenset[str] = frozenset()  # keys of alerts given before
    owners: Owners | None = None  # tells copied responses from a session's own
    quota: Callable[[], Quota | None] = lambda: None  # what Claude Code last said of its limits
    recent_quota: RecentQuota = no_quota
    hours: float = 12  # how long a session is shown after its last sign of life
