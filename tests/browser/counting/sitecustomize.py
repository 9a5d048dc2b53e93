"""In every process of the product: note what is read of one file, and what becomes of one line.

A process that has it on its path writes to the log, as JSON: its id, what it did ("read",
"opened", "decoded", "folded"), and from where to where in the file.
"""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

FILE, LOG, WORDS = (os.environ[f"COUNTED_{name}"] for name in ("FILE", "LOG", "WORDS"))


def note(what: str, begin: int = 0, end: int = 0) -> None:
    """One line of the log."""
    line = json.dumps([os.getpid(), what, begin, end]) + "\n"
    log = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, line.encode())
    os.close(log)


def note_reads() -> None:
    """Whoever reads has to come by here; a file that is opened in another way is noted too."""
    pread, read = os.pread, os.read

    def is_ours(fd: int) -> bool:
        try:
            return os.readlink(f"/proc/self/fd/{fd}") == FILE
        except OSError:
            return False

    def noting_pread(fd: int, length: int, offset: int) -> bytes:
        data = pread(fd, length, offset)
        if is_ours(fd):
            note("read", offset, offset + len(data))
        return data

    def noting_read(fd: int, length: int) -> bytes:
        data = read(fd, length)
        if is_ours(fd):
            end = os.lseek(fd, 0, os.SEEK_CUR)
            note("read", end - len(data), end)
        return data

    def heard(event: str, given: Any) -> None:
        # `os.open` has no mode.
        if event == "open" and given[0] == FILE and given[1] is not None:
            note("opened")

    os.pread, os.read = noting_pread, noting_read
    sys.addaudithook(heard)


def note_lines() -> None:
    """Before anybody imports what decodes lines."""
    from unspool.decode import lines  # noqa: PLC0415
    from unspool.derive.transcript import Delta, Line, TranscriptFold  # noqa: PLC0415

    decode, feed = lines.decode_known, TranscriptFold.feed

    def noting_decode(line: bytes) -> Any:
        if WORDS.encode() in line:
            note("decoded")
        return decode(line)

    def noting_feed(fold: TranscriptFold, some: Sequence[Line]) -> Delta:
        for offset, length, _ in some:
            note("folded", offset, offset + length)
        return feed(fold, some)

    lines.decode_known = noting_decode
    TranscriptFold.feed = noting_feed  # type: ignore[assignment,method-assign]


note_reads()
note_lines()
