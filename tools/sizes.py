"""Files -> the ones too long to read: a note past the habit, a failure past the wall."""

import sys
from pathlib import Path
from typing import NamedTuple


class Limit(NamedTuple):
    """How long one kind of file usually is, and how long it may be."""

    pattern: str
    habit: int
    wall: int


# Data (*.json, *.sql) has no limit: it is looked up, not read.
LIMITS = (
    Limit("src/**/*.py", 200, 400),
    Limit("tests/**/*.py", 200, 400),
    Limit("tools/**/*.py", 200, 400),
    Limit("benchmarks/**/*.py", 200, 400),
    Limit("src/**/templates/**/*.html", 80, 120),
    Limit("src/**/*.js", 80, 120),
)


class Long(NamedTuple):
    """A file past its habit."""

    path: Path
    lines: int
    limit: Limit

    @property
    def too_long(self) -> bool:
        return self.lines > self.limit.wall

    def __str__(self) -> str:
        if self.too_long:
            return f"WALL  {self.path}: {self.lines} lines, wall is {self.limit.wall}"
        return f"note  {self.path}: {self.lines} lines, habit is {self.limit.habit}"


def long_files(root: Path) -> list[Long]:
    """Every file below the root that is longer than its habit, the longest first."""
    found = []
    for limit in LIMITS:
        for path in root.glob(limit.pattern):
            lines = len(path.read_bytes().splitlines())
            if lines > limit.habit:
                found.append(Long(path.relative_to(root), lines, limit))
    return sorted(found, key=lambda long: (-long.lines, long.path))


def main(root: Path) -> int:
    """Print what is long; 1 when a wall is broken."""
    found = long_files(root)
    for long in found:
        print(long)
    return int(any(long.too_long for long in found))


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
