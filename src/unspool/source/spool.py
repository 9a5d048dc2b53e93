"""The spool: files of hook events, one framed line each, appended by hooks and read by offset.

    ~1 <crc32 of the rest> <length> <milliseconds> <payload>

A file belongs to a day, so none is renamed under a writer; `x-` files hold what did not fit there.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from errno import ENOSPC
from pathlib import Path
from typing import Final
from zlib import crc32

from unspool.errors import StoreFull
from unspool.model.files import SpoolEvent, SpoolFile, SpoolGap, SpoolRead, TailState
from unspool.private_files import private_directory
from unspool.source import tail
from unspool.source.claude_code import SPOOL as SPOOL_FOLDER
from unspool.source.claude_code import name_file
from unspool.source.files import stat_file
from unspool.source.hook import LONGEST, day_file, frame, write
from unspool.source.tail import split_lines
from unspool.system.files import open_no_link, sync_directory

SPOOL: Final = "spool"

_HEAD: Final = re.compile(rb"~1 ([0-9a-f]{8}) (?=([0-9a-f]{8}) ([0-9]{13}) )")
_BETWEEN: Final = len("00000000 0000000000000 ")
# Places in a frame: of its checksum, and where its payload begins.
CRC: Final = slice(len("~1 "), len("~1 00000000"))
PAYLOAD: Final = CRC.stop + 1 + _BETWEEN
# Damage can look like a thousand frames, and each of them costs a checksum.
_TRIES: Final = 64
_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT


def spool_files(directory: str | Path) -> list[SpoolFile]:
    """The files of a spool, the oldest first; none where there is no spool."""
    try:
        names = [name for name in os.listdir(directory) if name_file(SPOOL_FOLDER, name)]
    except OSError:
        return []
    files = (_file(os.path.join(directory, name), name) for name in names)
    return sorted(filter(None, files), key=lambda file: (file.mtime_ns, file.name))


def read(path: str | Path, state: TailState, *, limit: int = 8 * 1024 * 1024) -> SpoolRead:
    """Read on from `state`. An unfinished line is read once it is complete."""
    piece = tail.read(path, state, limit=limit)
    found = [item for at, line in split_lines(piece.data, piece.base) for item in frames(line, at)]
    too_long = (SpoolGap(place.offset, place.length) for place in piece.oversize)
    return SpoolRead(
        piece.state,
        tuple(item for item in found if isinstance(item, SpoolEvent)),
        (*(item for item in found if isinstance(item, SpoolGap)), *too_long),
        piece.more,
    )


def frames(line: bytes, base: int = 0) -> Iterator[SpoolEvent | SpoolGap]:
    """The events of a line: one, or several if a torn event has swallowed the next."""
    done = start = 0
    for _ in range(_TRIES):
        head = _HEAD.search(line, start)
        if head is None:
            break
        start = head.start() + 1
        if event := _event(line, head, base):
            yield from _gap(done, head.start(), base)
            yield event
            done = start = event.offset + event.length - base
    yield from _gap(done, len(line), base)


def blank(data: bytes, is_forgotten: Callable[[bytes], bool]) -> bytes:
    """Lines with spaces where an event was that is forgotten, or part of one: places stay."""
    made, at = bytearray(data), 0
    for line in data.split(b"\n"):
        for item in frames(line, at):
            begin, end = item.offset, item.offset + item.length
            if is_forgotten(item.payload if isinstance(item, SpoolEvent) else data[begin:end]):
                made[begin:end] = b" " * item.length
        at += len(line) + 1
    return bytes(made)


def scrub(path: str | Path, is_forgotten: Callable[[bytes], bool], start: int = 0) -> bool:
    """Overwrite forgotten events of a file, from a line on; whether there were any.

    Hooks may append meanwhile: nothing is moved.
    """
    try:
        fd = open_no_link(path, os.O_RDWR)
    except OSError:
        return False  # gone since it was listed
    try:
        os.lseek(fd, start, os.SEEK_SET)
        data = os.read(fd, max(0, os.fstat(fd).st_size - start))
        clean = blank(data, is_forgotten)
        if clean == data:
            return False
        os.lseek(fd, start, os.SEEK_SET)
        os.write(fd, clean)
        os.fsync(fd)
        return True
    finally:
        os.close(fd)


def append(directory: str | Path, payloads: Iterable[bytes], at: int) -> int:
    """Write events durably; return how many, from the first on, are safe.

    StoreFull if none is.
    """
    path = os.path.join(directory, day_file(at))
    try:
        private_directory(directory)
        fd = open_no_link(path, _FLAGS)
        try:
            is_new = not os.fstat(fd).st_size
            written = _write(fd, payloads, at)
            os.fsync(fd)
        finally:
            os.close(fd)
        if is_new:
            sync_directory(directory)  # a new file's name is to be as safe as its bytes
    except OSError as error:
        message = f"Cannot write to {path}: {error.strerror}. Nothing was saved: send it again."
        raise StoreFull(message) from error
    return written


def tidy(directory: str | Path, read: Mapping[str, int], before_ns: int) -> list[str]:
    """Delete files that were read to their end and last written before a time.

    No hook writes to a day that is over, so nothing can be lost in between.
    """
    over = [
        file.name
        for file in spool_files(directory)
        if file.mtime_ns < before_ns and read.get(file.name) == file.size
    ]
    for name in over:
        os.unlink(os.path.join(directory, name))
    return over


def _file(path: str, name: str) -> SpoolFile | None:
    info = stat_file(path)
    return info and SpoolFile(path, name, info.st_size, info.st_mtime_ns, info.st_ino)


def _event(line: bytes, head: re.Match[bytes], base: int) -> SpoolEvent | None:
    """The event that begins here, if its checksum says so."""
    crc, length, at = int(head[1], 16), int(head[2], 16), int(head[3])
    begin = head.end() + _BETWEEN
    # A payload that is too long is cut at LONGEST; one that never ended has a length one longer.
    for kept in (length, length - 1) if length <= LONGEST else (LONGEST,):
        end = begin + kept
        if begin <= end <= len(line) and crc32(line[head.end() : end]) == crc:
            start = head.start()
            return SpoolEvent(base + start, end - start, at, line[begin:end], kept < length)
    return None


def _gap(start: int, end: int, base: int) -> Iterator[SpoolGap]:
    if start < end:
        yield SpoolGap(base + start, end - start)


def _write(fd: int, payloads: Iterable[bytes], at: int) -> int:
    done = 0
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(ENOSPC, "not a regular file")
        for payload in payloads:
            line = frame(payload[:LONGEST], at, len(payload))
            if not write(fd, line):
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            done += 1
    except OSError:
        if not done:
            raise
    return done
