"""A process's number -> its birth, so that a later one of the same number is not taken for it."""

import subprocess
from pathlib import Path

_PROC = Path("/proc")


def birth(pid: int) -> str | None:
    """What sets a living process apart from every other that has its number; None where dead."""
    if pid <= 0:
        return None
    if (_PROC / "self/stat").exists():
        return _from_proc(pid)
    return _from_ps(pid)


def _from_proc(pid: int) -> str | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("utf-8").strip()
    except OSError:
        return None
    # The name, in brackets, may itself hold spaces and brackets.
    fields = text.rpartition(")")[2].split()
    is_dead = fields[0] in ("Z", "X")
    return None if is_dead else f"{boot}.{fields[19]}"


def _from_ps(pid: int) -> str | None:
    command = ["ps", "-p", str(pid), "-o", "stat=,lstart="]
    try:
        # Only a number of ours goes in.
        found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    state, _, started = found.stdout.strip().partition(" ")
    return None if not state or state.startswith("Z") else " ".join(started.split())


def lock_holder(path: Path) -> int | None:
    """The process that holds a file's lock, where the kernel tells."""
    try:
        inode = str(path.stat().st_ino)
        locks = (_PROC / "locks").read_text("utf-8").splitlines()
    except OSError:
        return None
    for fields in map(str.split, locks):
        if fields[1:2] == ["FLOCK"] and fields[5].rpartition(":")[2] == inode:
            return int(fields[4])
    return None
