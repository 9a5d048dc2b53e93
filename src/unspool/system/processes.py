"""Other processes: whether they live and since when, their command line, and who holds a lock."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from unspool.system.files import open_file, read_at
from unspool.system.locks import lock

if sys.platform == "win32":
    from unspool.system.windows import started_ns
if TYPE_CHECKING:
    from subprocess import Popen

# For `Popen`, beside `start_new_session`, which Windows ignores: Ctrl-C is not for the child.
NEW_GROUP: Final = 0x200 if sys.platform == "win32" else 0

_PROC = Path("/proc")
_STOPS_WITHIN = 10.0
_LOOK_EVERY = 0.02
_SLACK_NS = 60_000_000_000  # clocks may be set while processes run


def is_alive(pid: int, wrote_ns: int | None = None) -> bool:
    """Whether a process with this id exists, ours or not.

    One that started after its file was last written (`wrote_ns`) only has the same id.
    """
    if sys.platform == "win32":
        born = started_ns(pid)
        is_there = born is not None
    else:
        is_there = _answers(pid)
        born = None if wrote_ns is None or not is_there else _born(pid)
    return is_there and (wrote_ns is None or born is None or born <= wrote_ns + _SLACK_NS)


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _born(pid: int) -> int | None:
    """When a process started, in nanoseconds since 1970; None if unknown."""
    try:
        # The name before it may contain anything, even spaces and brackets.
        stat = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2]
        lines = (_PROC / "stat").read_bytes().splitlines()
        booted = next(int(line.split()[1]) for line in lines if line.startswith(b"btime "))
        since = int(stat.split()[19])
    except (OSError, ValueError, IndexError, StopIteration):
        return None
    ticks: int = getattr(os, "sysconf")("SC_CLK_TCK")  # noqa: B009 - where there is /proc
    return booted * 1_000_000_000 + since * 1_000_000_000 // ticks


def birth(pid: int) -> str | None:
    """A value that differs between processes with the same pid; None if it is not alive."""
    if pid <= 0:
        return None
    if sys.platform == "win32":
        born = started_ns(pid)
        return None if born is None else str(born)
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
    import subprocess  # noqa: PLC0415 - not where there is /proc

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


def user_id() -> int:
    """The number of the user; 0 where users have none."""
    return os.getuid() if hasattr(os, "getuid") else 0


def kill_group(child: "Popen[Any]") -> None:
    """End a child with all it started; on Windows, which has no such groups, the child alone."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    else:
        child.kill()


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
        locks = (_PROC / "locks").read_text("utf-8").splitlines()
    except OSError:
        return _written_holder(path)
    try:
        names = _lock_names(path)
    except OSError:
        return None
    for fields in map(str.split, locks):
        if fields[1:2] == ["FLOCK"] and fields[5] in names:
            return int(fields[4])
    return None


def _written_holder(path: Path) -> int | None:
    """The pid that the holder of a lock wrote into its file; found by trying to take the lock."""
    try:
        fd = open_file(path, os.O_RDWR)
    except OSError:
        return None
    try:
        lock(fd)
    except BlockingIOError:
        text = read_at(fd, 20, 0).strip()
        return int(text) if text.isdigit() else None
    except OSError:  # a file system without locks
        return None
    finally:
        os.close(fd)
    return None


def _lock_names(path: Path) -> set[str]:
    """A file as the kernel's list of locks may name it: inodes count up on every disk alike.

    Some file systems (btrfs, overlays) give their files another device than the list has, which
    is that of the mount.
    """
    about = path.stat()
    devices = set(_mounted(path))
    if sys.platform != "win32":
        devices.add((os.major(about.st_dev), os.minor(about.st_dev)))
    return {f"{major:02x}:{minor:02x}:{about.st_ino}" for major, minor in devices}


def _mounted(path: Path) -> list[tuple[int, int]]:
    """The device of the mount that a file is on, where the kernel tells."""
    fd = open_file(path)
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
