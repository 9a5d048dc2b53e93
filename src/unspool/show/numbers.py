"""Dollars, counts and sizes -> short text."""

from typing import Final

_BYTE_UNITS: Final = ("bytes", "KB", "MB", "GB", "TB")
# Before a sum that is at least what was spent, and at most that.
_BOUNDS: Final = {
    (False, False): "",
    (True, False): "≥ ",
    (False, True): "≤ ",
    (True, True): "≈ ",
}
_UNITS: Final = ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "B"))


def format_usd(cost: float | None, *, at_least: bool = False, at_most: bool = False) -> str:
    """Dollars with as many places as the sum needs; None is a model nobody knows the price of."""
    if cost is None:
        return "unpriced"
    size = abs(cost)
    places = 2 if size >= 0.01 or not size else 3 if size >= 0.001 else 4
    mark = _BOUNDS[at_least, at_most and cost > 0]
    return f"{mark}{'-' if cost < 0 else ''}${size:,.{places}f}"


def format_count(number: int) -> str:
    """A count in three digits or so: 950, 1.2k, 142k, 3.4M."""
    if abs(number) < 1_000:
        return str(number)
    for unit, letter in _UNITS:
        value = number / unit
        if abs(value) < 99.95:
            return f"{value:.1f}{letter}"
        if abs(value) < 999.5:
            return f"{value:.0f}{letter}"
    return f"{number / _UNITS[-1][0]:,.0f}{_UNITS[-1][1]}"


def plural(number: int, one: str, many: str = "") -> str:
    """A count and its word: 1 file, 3 files."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def format_bytes(number: int) -> str:
    """Bytes in the unit that suits them: 12.3 MB."""
    value, unit = float(number), 0
    while value >= 999.5 and unit < len(_BYTE_UNITS) - 1:
        value, unit = value / 1_000, unit + 1
    return f"{number} bytes" if not unit else f"{value:,.1f} {_BYTE_UNITS[unit]}"


def unknown_usage(agents: int) -> str:
    """What is not known of agents that left no file and no report."""
    if agents == 1:
        return "1 agent left no file, so its usage is unknown"
    return f"{agents} agents left no files, so their usage is unknown"
