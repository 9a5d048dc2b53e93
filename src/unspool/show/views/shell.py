"""What stands around every page: its title, the way to the others, today's spend."""

from msgspec import Struct

from unspool.show.money import format_usd


class Shell(Struct, frozen=True, kw_only=True):
    """The header; `name` is the page's class, `theme` is light, dark or the system's ("")."""

    title: str
    name: str = ""
    current: str = ""
    today: str = ""
    spark: tuple[int, ...] = ()  # percent of the highest, oldest first
    block: str = ""  # how much of the 5-hour block is used
    theme: str = ""


def pulse(today: float | None, days: tuple[float, ...] = ()) -> dict[str, object]:
    """Today's dollars and the last days as small bars, for a Shell."""
    most = max(days, default=0.0) or 1.0
    return {"today": format_usd(today), "spark": tuple(round(day / most * 100) for day in days)}
