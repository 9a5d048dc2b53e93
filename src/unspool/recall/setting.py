"""What a reading takes from outside: the time, the prices, and where else to look."""

from pathlib import Path

from msgspec import Struct

from unspool.derive.whole import Prices

# Where an administrator puts instructions for everybody.
ENTERPRISE = Path("/etc/claude-code/CLAUDE.md")


class Setting(Struct, frozen=True):
    """The same for every session of one reading."""

    now: int
    prices: Prices
    enterprise: Path = ENTERPRISE
    home: Path | None = None
