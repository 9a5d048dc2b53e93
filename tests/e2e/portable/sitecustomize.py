"""Loaded by every Python that has this directory on its path: a system without Linux's own names.

What Windows lacks is gone before unspool is imported, in child processes too; what macOS lacks is
among it. The standard library's own needs are met as they are there.
"""

import asyncio  # noqa: F401 - before `os.sysconf` is gone, which it asks from Python 3.12 on
import builtins
import io
import os
import select
import signal
import subprocess  # before `msvcrt` is there: it would believe to be on Windows
import sys
from errno import EACCES, ENOENT
from types import ModuleType
from typing import Any

_OS = """
    O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC O_NDELAY O_NOATIME O_NOCTTY O_NOFOLLOW
    O_NONBLOCK O_PATH O_SYNC O_TMPFILE PRIO_PROCESS ST_RDONLY
    chown chroot fchdir fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg
    getpgid getpgrp getpriority getresuid getsid getuid get_blocking initgroups killpg lchown
    lockf major makedev minor mkfifo mknod nice openpty posix_fadvise posix_fallocate pread preadv
    pwrite pwritev register_at_fork sched_getaffinity sched_setaffinity sendfile setpriority
    setsid setuid set_blocking statvfs sync sysconf uname wait3 wait4 writev
""".split()
_SIGNALS = """
    SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPOLL SIGQUIT SIGSTOP SIGTSTP
    SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGWINCH alarm pause pthread_kill setitimer sigwait
""".split()
_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")


def _lock_like_windows() -> Any:
    """`msvcrt.locking`, which refuses with EACCES what another process has locked."""
    import fcntl  # noqa: PLC0415

    made: Any = ModuleType("msvcrt")
    made.LK_NBLCK = 2

    def locking(fd: int, mode: int, count: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(EACCES, os.strerror(EACCES)) from error

    made.locking = locking
    return made


def _without_proc(call: Any) -> Any:
    def refusing(path: Any = ".", *args: Any, **how: Any) -> Any:
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(path))
        return call(path, *args, **how)

    return refusing


def _remove() -> None:
    kill = signal.SIGKILL
    subprocess.Popen.kill = lambda self: self.send_signal(kill)  # type: ignore[method-assign]
    sys.modules["msvcrt"] = _lock_like_windows()
    for place, names in ((os, _OS), (signal, _SIGNALS), (select, ["poll"])):
        for name in names:
            if hasattr(place, name):
                delattr(place, name)
    for name in _MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for kind in ("dir_fd", "fd", "follow_symlinks"):
        setattr(os, f"supports_{kind}", set())
    for name in ("open", "stat", "lstat", "listdir", "scandir", "readlink"):
        setattr(os, name, _without_proc(getattr(os, name)))
    builtins.open = io.open = _without_proc(io.open)


if os.environ.get("UNSPOOL_TEST_PORTABLE"):
    _remove()
