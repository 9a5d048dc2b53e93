"""A growing file and how far we were -> its new whole lines, and where we are now."""

import os
from pathlib import Path

from msgspec import structs

from unspool.errors import NotFound, SourceError
from unspool.model.files import LineSpan, TailRead, TailState
from unspool.source.chain import BLOCK, HEAD, Block, advanced, begun, digest, fold, restarted
from unspool.source.lines import MAX_LINE_BYTES
from unspool.source.reader import FileLines

_STRIDE = 1024 * 1024


def read(
    path: str | Path,
    state: TailState,
    *,
    limit: int = 8 * 1024 * 1024,
    max_line: int = MAX_LINE_BYTES,
) -> TailRead:
    """Read on from `state`, or from the start when this is no longer the file it tells of."""
    try:
        with FileLines(path) as file:
            stat = file.stat()
            is_same, block = _compared(file, stat, state)
            # A whole line inside the window is then never longer than max_line.
            window = min(limit, max_line + 1)
            if is_same:
                return _read_on(file, stat, _resumed(state, stat), window, max_line, block)
            anew = _read_on(file, stat, restarted(state), window, max_line, None)
            return structs.replace(anew, reset=True)
    except NotFound:
        return TailRead(state, state.generation, state.offset, gone=True)


def near_end(path: str | Path, end: int, lines: int) -> TailState:
    """A state from which `read` gives the last `lines` before `end`; of a short file, all of it.

    They are looked for backwards from `end`; of what comes earlier only the head is read.
    """
    try:
        with FileLines(path) as file:
            stat = file.stat()
            offset = _lines_before(file, min(end, stat.st_size), lines)
            if offset < BLOCK:
                return TailState()
            length = offset % BLOCK
            block = file.read(offset - length, length)
            made = begun(offset, file.read(0, HEAD), block)
            return structs.replace(made, inode=stat.st_ino)
    except NotFound:
        return TailState()


def verify(path: str | Path, state: TailState) -> bool:
    """Read again what was consumed and say whether it is still the same; NotFound when gone."""
    with FileLines(path) as file:
        return _unchanged(file, state)


def provisional(
    path: str | Path, state: TailState, *, max_line: int = MAX_LINE_BYTES
) -> bytes | None:
    """Give the unfinished last line, which lies at `state.offset`, without consuming it."""
    try:
        with FileLines(path) as file:
            data = file.read(state.offset, max_line + 1)
    except NotFound:
        return None
    return data if data and len(data) <= max_line and b"\n" not in data else None


def _read_on(
    file: FileLines,
    stat: os.stat_result,
    state: TailState,
    window: int,
    max_line: int,
    block: Block | None,
) -> TailRead:
    data, oversize, pending = _next(file, state, stat.st_size, window, max_line)
    base = state.offset
    if oversize:
        before = (block or _open_block(file, state)).data
        state = _passed(file, state, before, oversize.length + 1)
    elif data:
        state = (block or _open_block(file, state)).advanced(state, data)
    state = structs.replace(
        state,
        inode=stat.st_ino,
        pending=pending,
        size_seen=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
    )
    return TailRead(
        state,
        state.generation,
        base,
        data,
        (oversize,) if oversize else (),
        more=stat.st_size > state.offset + pending,
    )


def _next(
    file: FileLines, state: TailState, size: int, window: int, max_line: int
) -> tuple[bytes, LineSpan | None, int]:
    """Whole lines after the offset, or an oversize place; and how much was seen of the next."""
    # A long unfinished line is not read again from its start each time it grows a little.
    skip = state.pending if BLOCK < state.pending <= size - state.offset else 0
    if not skip:
        chunk = file.read(state.offset, window)
        if cut := chunk.rfind(b"\n") + 1:
            return chunk[:cut], None, len(chunk) - cut
    end, seen = _newline(file, state.offset + skip, size)
    length = end - state.offset
    if end < 0:
        return b"", None, seen - state.offset
    if length > max_line:
        return b"", LineSpan(state.offset, length), 0
    line = file.read(state.offset, length + 1)
    return (line, None, 0) if line.endswith(b"\n") else (b"", None, 0)


def _newline(file: FileLines, at: int, size: int) -> tuple[int, int]:
    """The first newline from `at` on, or -1; and how far was looked."""
    while at < size and (chunk := file.read(at, _STRIDE)):
        if (found := chunk.find(b"\n")) >= 0:
            return at + found, at
        at += len(chunk)
    return -1, at


def _lines_before(file: FileLines, end: int, lines: int) -> int:
    """Where the last whole lines before `end` begin; 0 where there are not so many."""
    wanted = lines + 1  # the newline before the first of them
    while end > 0 and (chunk := file.read(max(end - BLOCK, 0), min(BLOCK, end))):
        end -= len(chunk)
        if (found := chunk.count(b"\n")) >= wanted:
            at = len(chunk)
            for _ in range(wanted):
                at = chunk.rindex(b"\n", 0, at)
            return end + at + 1
        wanted -= found
    return 0


def _compared(file: FileLines, stat: os.stat_result, state: TailState) -> tuple[bool, Block | None]:
    """Whether it is still the same file; and its open block, where it took that to tell."""
    if state.offset == 0:
        return True, None
    if not _looks_same(file, state):
        return False, None
    if stat.st_ino != state.inode:
        return _unchanged(file, state), None
    if (stat.st_size, stat.st_mtime_ns) == (state.offset + state.pending, state.mtime_ns):
        return True, None
    block = _open_block(file, state)
    return block.digest == state.open_hash, block


def _looks_same(file: FileLines, state: TailState) -> bool:
    """The cheap test, made on every read; a file that shrank has no mark any more."""
    head = file.read(0, state.head_len)
    mark = file.read(state.offset - state.mark_len, state.mark_len)
    return (digest(head), digest(mark)) == (state.head_hash, state.mark_hash)


def _resumed(state: TailState, stat: os.stat_result) -> TailState:
    """Forget the unfinished line when it may be another file's."""
    return state if stat.st_ino == state.inode else structs.replace(state, pending=0)


def _unchanged(file: FileLines, state: TailState) -> bool:
    chain, rest, at = b"", b"", state.start
    while at < state.offset:
        chunk = file.read(at, min(_STRIDE, state.offset - at))
        if not chunk:
            return False
        chain, rest = fold(chain, rest, chunk)
        at += len(chunk)
    return state.offset == 0 or (chain, digest(rest)) == (state.chain, state.open_hash)


def _passed(file: FileLines, state: TailState, before: bytes, length: int) -> TailState:
    """Consume a line too long to hold, a stride at a time."""
    end = state.offset + length
    while state.offset < end:
        chunk = file.read(state.offset, min(_STRIDE, end - state.offset))
        if not chunk:
            raise SourceError(f"{file.path} shrank while it was read. Read it again.")
        state = advanced(state, before, chunk)
        before = (before + chunk)[len(before) + len(chunk) - state.offset % BLOCK :]
    return state


def _open_block(file: FileLines, state: TailState) -> Block:
    length = state.offset % BLOCK
    return Block(file.read(state.offset - length, length))
