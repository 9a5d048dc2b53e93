"""What was spent, in the rows of a report.

Plain tuples: a report that is asked for again must not wait for anything to load.
"""

from typing import NamedTuple, TypeAlias

# In the order of `UsageTotal`: quarter, project, session, agent, model, then as in `Spend`.
Total: TypeAlias = tuple[int | str, ...]


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


class CostRow(NamedTuple):
    """One line of a report: a day, week, month, session, project or model."""

    name: str
    spend: Spend
    models: dict[str, Spend]  # the dearest first
    project: str = ""  # a session's


class Report(NamedTuple):
    """Rows, and what they come to."""

    rows: list[CostRow]
    total: CostRow


class Block(NamedTuple):
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
