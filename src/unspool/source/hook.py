"""Standard input -> one line at the end of the spool: silent, quick, and never in the way.

Run as `python -I -S hook.py SPOOL`. Built-in modules alone: `os` would double what it costs.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself is Python, and slow
import sys
from binascii import crc32
from time import gmtime, sleep, strftime, time_ns  # noqa: TID251 - no caller tells it the time

if sys.platform == "win32":
    import nt as os
else:
    import posix as os

LONGEST = 8 * 1024 * 1024
# Whoever sends more than we keep is still heard out, for a while.
_HEARD = 4 * LONGEST
# Seconds to wait for the next byte, and for all of them together: less than Claude Code grants.
# Only time asleep counts: a process that a busy machine does not run has not waited.
PATIENCE, LIMIT = 20.0, 40.0
_SHORT_PAUSE, _LONG_PAUSE = 0.001, 0.05
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
for _name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_KIND, _REGULAR = 0o170000, 0o100000


def frame(payload: bytes, at: int, length: int) -> bytes:
    """An event as one line; a `length` beyond the payload's says that the rest is missing."""
    head = b"%08x %013d " % (min(length, 0xFFFFFFFF), at)
    # In JSON a newline is only space between things.
    payload = payload.replace(b"\n", b" ")
    return b"~1 %08x %b%b\n" % (crc32(payload, crc32(head)), head, payload)


def day_file(at: int) -> str:
    """The name of the file that a moment's events go to."""
    return strftime("%Y-%m-%d.spool", gmtime(at // 1000))


def keep(spool: str, line: bytes, at: int) -> None:
    """Add a line to the file of its day; where that cannot be, leave it in a file of its own."""
    try:
        if _append(f"{spool}/{day_file(at)}", line):
            return
    except OSError:
        _make(spool)
    alone = f"{spool}/x-{os.getpid()}-{time_ns()}.spool"
    if not _append(alone, line, os.O_EXCL):
        os.unlink(alone)


def write(fd: int, line: bytes) -> bool:
    """Write a line at once, so that no other falls in between; whether its event is there."""
    written = os.write(fd, line)
    # Without its newline an event is whole: written once more, it would be read twice.
    is_there = written >= len(line) - 1
    if written < len(line):
        try:
            os.write(fd, b"\n")  # the next line should not have to be found inside this one
        except OSError:
            return is_there
    return is_there


def _make(spool: str) -> None:
    try:
        os.mkdir(spool, 0o700)
    except OSError:  # another hook was quicker, or it cannot be
        return


def _append(path: str, line: bytes, more: int = 0) -> bool:
    """Whether the event is there. The write alone decides: what comes after it cannot undo it."""
    fd = os.open(path, _FLAGS | more, 0o600)
    try:
        return os.fstat(fd).st_mode & _KIND == _REGULAR and write(fd, line)
    except OSError:
        return False
    finally:
        _close(fd)


def _close(fd: int) -> None:
    try:
        os.close(fd)
    except OSError:
        return


def _stdin(stops: list[int]) -> tuple[bytes, int]:
    """What is sent, LONGEST of it at most, and its length: more than that if it does not end."""
    parts: list[bytes] = []
    length = 0
    pause, silent, waited = _SHORT_PAUSE, 0.0, 0.0
    while length < _HEARD:
        try:
            part = os.read(0, 65_536)
        except BlockingIOError:
            # Nothing is there right now: the only place where waiting can come to an end.
            if stops or silent >= PATIENCE or waited >= LIMIT:
                length += 1
                break
            sleep(pause)
            silent, waited = silent + pause, waited + pause
            pause = min(2 * pause, _LONG_PAUSE)
            continue
        except OSError:
            length += 1
            break
        if not part:
            break
        parts.append(part[: max(LONGEST - length, 0)])
        length += len(part)
        pause, silent = _SHORT_PAUSE, 0.0
    return b"".join(parts), length


def _patient() -> tuple[bytes, int]:
    """Read without ever being stuck; a signal to end means: take what is there, and keep it."""
    if sys.platform == "win32":
        return _stdin([])  # nothing there reads a pipe without waiting
    stops: list[int] = []
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(_signal, name)
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, lambda number, _: stops.append(number))
    # Whoever shares this input finds it as it was.
    is_blocking = os.get_blocking(0)
    os.set_blocking(0, False)
    try:
        return _stdin(stops)
    finally:
        os.set_blocking(0, is_blocking)


def _main(spool: str) -> None:
    at = time_ns() // 1_000_000
    payload, length = _patient()
    if payload:
        keep(spool, frame(payload, at, length), at)


if __name__ == "__main__":
    try:
        _main(sys.argv[1])
    finally:
        os._exit(0)  # type: ignore[attr-defined,unused-ignore]
