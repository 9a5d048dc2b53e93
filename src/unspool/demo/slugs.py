"""Working directory -> the folder name Claude Code gives its project."""

from __future__ import annotations

_LONGEST = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug_of(cwd: str) -> str:
    """Name the project folder of a working directory."""
    raw = cwd.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{_base36(_hash31(units))}"


def _hash31(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return abs(value - (1 << 32) if value >= 1 << 31 else value)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
