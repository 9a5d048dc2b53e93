"""How much memory this process has held at most."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Megabytes since this program began, not since the one that started it was copied."""
    if _STATUS.exists():
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
