"""Figures -> whether the budgets hold, as a table and as JSON."""

import json
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple


class Figure(NamedTuple):
    """One measured number; of a `must` and an `aim` the first has to hold."""

    name: str
    value: float
    unit: str
    must: float | None = None
    aim: float | None = None
    more_is_better: bool = False
    note: str = ""

    def reaches(self, limit: float | None) -> bool:
        """Whether the number is as good as a limit; None is no limit."""
        if limit is None:
            return True
        return self.value >= limit if self.more_is_better else self.value <= limit

    @property
    def holds(self) -> bool:
        """Whether it is as good as it must be."""
        return self.reaches(self.must)

    @property
    def verdict(self) -> str:
        """How it stands, in a word."""
        if not self.holds:
            return "FAILS"
        if self.must is None and self.aim is None:
            return ""
        return "aim" if self.reaches(self.aim) else "holds"


def table(figures: Sequence[Figure]) -> str:
    """The figures in lines of equal length."""
    rows = [
        (
            figure.name,
            f"{_short(figure.value)} {figure.unit}",
            _limit("must", figure.must),
            _limit("aim", figure.aim),
            figure.verdict,
            figure.note,
        )
        for figure in figures
    ]
    widths = (44, 12, 10, 10, 6)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        + f"  {row[-1]}".rstrip()
        for row in rows
    )


def kept(path: Path, figures: Iterable[Figure]) -> None:
    """Write the figures down, with the machine they are of."""
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent / ".gitignore").write_text("*\n")
    machine = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
    found = [{**figure._asdict(), "verdict": figure.verdict} for figure in figures]
    path.write_text(json.dumps({**machine, "figures": found}, indent=2) + "\n")


def _limit(word: str, limit: float | None) -> str:
    return "" if limit is None else f"{word} {_short(limit)}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
