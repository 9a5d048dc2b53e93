"""Standard input -> one line at the end of the spool: silent, quick, and never in the way.

Run as `python -I -S hook.py SPOOL`. Built-in modules alone: `os` would double what it costs.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself is Python, and slow
import sys
from binascii import crc32
from time import gmtime, strftime, time_ns  # noqa: TID251 - nobody is there to tell the time

try:
    import posix as os
except ImportError:
    import nt as os  # type: ignore[no-redef]

LONGEST = 8 * 1024 * 1024
# Whoever sends more than we keep is still heard out, for a while.
_HEARD = 4 * LONGEST
# Seconds until no more is read, and from then until no more is done.
_PATIENCE, _REST = 0.18, 0.08
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
for _name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_KIND, _REGULAR = 0o170000, 0o100000


def frame(payload: bytes, at: int, length: int) -> bytes:
    """An event as one line; a `length` beyond the payload's says that the rest is missing."""
    # In JSON a newline is only space between things.
    body = b"%08x %013d %b" % (min(length, 0xFFFFFFFF), at, payload.replace(b"\n", b" "))
    return b"~1 %08x %b\n" % (crc32(body), body)


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
    try:
        whole = _append(alone, line, os.O_EXCL)
    except OSError:
        whole = False
    if not whole:
        os.unlink(alone)


def _make(spool: str) -> None:
    try:
        os.mkdir(spool, 0o700)
    except OSError:  # another hook was quicker, or it cannot be
        return


def _append(path: str, line: bytes, more: int = 0) -> bool:
    """Whether all of it is there, written at once so that nobody else's falls in between."""
    fd = os.open(path, _FLAGS | more, 0o600)
    try:
        return os.fstat(fd).st_mode & _KIND == _REGULAR and os.write(fd, line) == len(line)
    finally:
        os.close(fd)


def _stdin() -> tuple[bytes, int]:
    """What is sent, LONGEST of it at most, and its length: more than that if it does not end."""
    parts: list[bytes] = []
    length = 0
    try:
        os.set_blocking(0, True)
        while length < _HEARD and (part := os.read(0, 65_536)):
            parts.append(part[: max(LONGEST - length, 0)])
            length += len(part)
    except OSError:
        length += 1
    return b"".join(parts), length


def _late(*_: object) -> None:
    """The first time, end the reading; the second time, everything."""
    try:
        os.close(0)
    except OSError:
        os._exit(0)


def _main(spool: str) -> None:
    at = time_ns() // 1_000_000
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _late)
        _signal.setitimer(_signal.ITIMER_REAL, _PATIENCE, _REST)
    payload, length = _stdin()
    if payload:
        keep(spool, frame(payload, at, length), at)


if __name__ == "__main__":
    try:
        _main(sys.argv[1])
    finally:
        os._exit(0)
