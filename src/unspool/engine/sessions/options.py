"""What a reading takes from outside: the time, the prices, and where else to look."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.derive.whole import Prices
from unspool.engine.hooks.events import Spooled
from unspool.engine.sessions.marks import AllMarks
from unspool.engine.sessions.ownership import Owners
from unspool.model.alerts import AlertRule
from unspool.model.session import BoardSpend

# Where an administrator puts instructions for everybody.
ENTERPRISE = Path("/etc/claude-code/CLAUDE.md")
_DAY: Final = 86_400_000

# A moment -> what each session, by project and id, used since then.
Elsewhere: TypeAlias = Callable[[int], Mapping[tuple[str, str], BoardSpend]]


class Setting(Struct, frozen=True):
    """The same for every session of one reading."""

    now: int
    prices: Prices
    enterprise: Path = ENTERPRISE
    home: Path | None = None
    spooled: Spooled | None = None  # hook events that lie in no session's own log
    marks: AllMarks = {}  # what the user decided about sessions
    owners: Owners | None = None  # who can tell copied responses from a session's own


def utc_midnight(now: int) -> int:
    """When the day of a moment began, where no zone is known."""
    return now - now % _DAY


class Watching(Struct, frozen=True, kw_only=True):
    """What a live board is to look at beside the roots, and whom it asks."""

    spool: str = ""  # the directory where hooks leave their events
    midnight: Callable[[int], int] = utc_midnight
    elsewhere: Elsewhere | None = None  # the ledger, for sessions that are not on the board
    rules: Sequence[AlertRule] = ()
    told: frozenset[str] = frozenset()  # keys of alerts given before
    owners: Owners | None = None  # who can tell copied responses from a session's own
    hours: float = 12  # how long a session is shown after its last sign of life
