"""Processes: birth, command line, and which one holds a lock."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

_PROC = Path("/proc")
_STOPS_WITHIN = 10.0
_LOOK_EVERY = 0.02


def birth(pid: int) -> str | None:
    """A value that differs between processes with the same pid; None if it is not alive."""
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
        # The only input is a number.
        found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    state, _, started = found.stdout.strip().partition(" ")
    return None if not state or state.startswith("Z") else " ".join(started.split())


def stop_process(pid: int) -> bool:
    """Ask a process to end, and wait until it has; False if it takes too long."""
    born = birth(pid)
    if born is None:
        return True
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    deadline = monotonic() + _STOPS_WITHIN
    while birth(pid) == born:
        if monotonic() > deadline:
            return False
        sleep(_LOOK_EVERY)
    return True


def command_line(pid: int) -> list[str]:
    """The command line of a process; empty if the system does not provide it."""
    try:
        data = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(part) for part in data.rstrip(b"\0").split(b"\0")]


def lock_holder(path: Path) -> int | None:
    """The pid that holds a file's lock; None if nobody does, or the system does not say."""
    try:
        names = _lock_names(path)
        locks = (_PROC / "locks").read_text("utf-8").splitlines()
    except OSError:
        return None
    for fields in map(str.split, locks):
        if fields[1:2] == ["FLOCK"] and fields[5] in names:
            return int(fields[4])
    return None


def _lock_names(path: Path) -> set[str]:
    """A file as the kernel's list of locks may name it: inodes count up on every disk alike.

    Some file systems (btrfs, overlays) give their files another device than the list has, which
    is that of the mount.
    """
    about = path.stat()
    devices = {(os.major(about.st_dev), os.minor(about.st_dev)), *_mounted(path)}
    return {f"{major:02x}:{minor:02x}:{about.st_ino}" for major, minor in devices}


def _mounted(path: Path) -> list[tuple[int, int]]:
    """The device of the mount that a file is on, where the kernel tells."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        about = (_PROC / f"self/fdinfo/{fd}").read_text("utf-8")
        mounts = (_PROC / "self/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    finally:
        os.close(fd)
    number = about.partition("mnt_id:")[2].split()[:1]
    found = [line.split()[2].split(":") for line in mounts if line.split()[:1] == number]
    return [(int(major), int(minor)) for major, minor in found]
