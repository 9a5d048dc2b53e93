"""What stands around every page: its title, the way to the others, today's spend."""

from collections.abc import Sequence

from msgspec import Struct


class Shell(Struct, frozen=True, kw_only=True):
    """The header; `name` is the page's class, `theme` is light, dark or the system's ("")."""

    title: str
    name: str = ""
    current: str = ""
    today: str = ""
    spark: tuple[int, ...] = ()  # percent of the highest, oldest first
    block: str = ""  # what the 5-hour block that runs has cost
    block_ends: str = ""
    demo: str = ""  # says that the sessions are made up, where they are
    theme: str = ""
    here: str = "/"  # the page's own address


def spark(days: Sequence[float]) -> tuple[int, ...]:
    """Some days' dollars as parts of the dearest."""
    most = max(days, default=0.0) or 1.0
    return tuple(round(day / most * 100) for day in days)
