"""A growing file and how far it was read -> its new whole lines, and the new position."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from msgspec import structs

from unspool.errors import NotFound, SourceError
from unspool.model.files import LineSpan, TailRead, TailState
from unspool.source.claude_code import MAX_LINE_BYTES
from unspool.source.safe_open import OpenFile

Line: TypeAlias = tuple[int, bytes]


def line_spans(data: bytes, base_offset: int = 0) -> Iterator[tuple[int, int]]:
    """Offset and length of each complete line, blank ones included, without the newline."""
    start = 0
    find = data.find
    while (end := find(b"\n", start)) >= 0:
        yield base_offset + start, end - start
        start = end + 1


def split_lines(data: bytes, base_offset: int = 0) -> Iterator[Line]:
    """Each complete line with its offset; an unfinished last line is left out."""
    for offset, length in line_spans(data, base_offset):
        start = offset - base_offset
        yield offset, data[start : start + length]


class LineBuffer:
    """Keeps the unfinished line between reads that may stop anywhere.

    A line longer than `max_line_bytes` is not kept: only its span is returned.
    """

    def __init__(self, base_offset: int = 0, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self.pending = 0
        self._start = base_offset
        self._parts: list[bytes] = []
        self._longest = max_line_bytes

    def feed(self, data: bytes) -> list[Line | LineSpan]:
        """Take the next bytes and return the lines they complete."""
        lines: list[Line | LineSpan] = []
        start = 0
        for offset, length in line_spans(data):
            self._hold(data[start : offset + length])
            lines.append(self._finish())
            start = offset + length + 1
        self._hold(data[start:])
        return lines

    def _hold(self, part: bytes) -> None:
        self.pending += len(part)
        if self.pending > self._longest:
            self._parts.clear()
        else:
            self._parts.append(part)

    def _finish(self) -> Line | LineSpan:
        start, length = self._start, self.pending
        whole = b"".join(self._parts)
        self._start, self.pending = start + length + 1, 0
        self._parts.clear()
        return LineSpan(start, length) if length > self._longest else (start, whole)


BLOCK = 64 * 1024
HEAD = 1024
_MARK = 64
_DIGEST = 16


def restart(state: TailState) -> TailState:
    """The same path from its first byte, as a new generation."""
    return TailState(generation=state.generation + 1)


def state_at(offset: int, head: bytes, block: bytes) -> TailState:
    """The state at an offset beyond the first block; `block` is the part of its block before it."""
    mark = block[-_MARK:]
    return TailState(
        offset=offset,
        start=offset - len(block),
        head_len=len(head),
        head_hash=digest(head),
        mark_len=len(mark),
        mark_hash=digest(mark),
        open_hash=digest(block),
    )


def advance(state: TailState, before: bytes, data: bytes) -> TailState:
    """Consume `data`; `before` is the part of its first block that was already consumed."""
    chain, rest = fold(state.chain, before, data)
    state = _moved(state, before, data, chain, digest(rest))
    if state.head_len == HEAD:
        return state
    # While the head still grows, all that was consumed is in this one block.
    head = (before + data[:HEAD])[:HEAD]
    return structs.replace(state, head_len=len(head), head_hash=digest(head))


class OpenBlock:
    """The consumed part of the block that the next byte belongs to, hashed incrementally."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._hash = hashlib.sha256(data)

    @property
    def digest(self) -> bytes:
        return self._hash.digest()[:_DIGEST]

    def advance(self, state: TailState, data: bytes) -> TailState:
        """Consume `data` like the function `advance`; usually only this one hash is updated."""
        if state.head_len != HEAD or len(self.data) + len(data) >= BLOCK:
            return advance(state, self.data, data)
        self._hash.update(data)
        return _moved(state, self.data, data, state.chain, self.digest)


def _moved(
    state: TailState, before: bytes, data: bytes, chain: bytes, open_hash: bytes
) -> TailState:
    mark = (before[-_MARK:] + data[-_MARK:])[-_MARK:]
    return structs.replace(
        state,
        offset=state.offset + len(data),
        mark_len=len(mark),
        mark_hash=digest(mark),
        chain=chain,
        open_hash=open_hash,
    )


def fold(chain: bytes, before: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Hash the blocks that are now complete into the chain; return the remaining bytes."""
    view = memoryview(data)
    while len(before) + len(view) >= BLOCK:
        need = BLOCK - len(before)
        chain = digest(chain, before, view[:need])
        before, view = b"", view[need:]
    return chain, before + bytes(view)


def digest(*parts: bytes | memoryview) -> bytes:
    """The first 16 bytes of a SHA-256."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.digest()[:_DIGEST]


_STRIDE = 1024 * 1024


def read(
    path: str | Path,
    state: TailState,
    *,
    limit: int = 8 * 1024 * 1024,
    max_line: int = MAX_LINE_BYTES,
    is_proven: bool = True,
) -> TailRead:
    """Read on from `state`, or from the start if this is no longer the same file.

    A file that has grown is taken for the same by its head and its end. If nobody has watched it
    since (`is_proven` is False), all of what was read before is compared.
    """
    try:
        with OpenFile(path) as file:
            stat = file.stat()
            is_same, block = _compare(file, stat, state, is_proven=is_proven)
            # A whole line inside the window is then never longer than max_line.
            window = min(limit, max_line + 1)
            if is_same:
                return _read_on(file, stat, _resume(state, stat), window, max_line, block)
            start = _read_on(file, stat, restart(state), window, max_line, None)
            return structs.replace(start, reset=True)
    except NotFound:
        return TailRead(state, state.generation, state.offset, gone=True)


def near_end(path: str | Path, end: int, lines: int) -> TailState:
    """A state from which `read` returns the last `lines` before `end`, or all of a short file.

    It searches backwards from `end`; of what comes earlier only the head is read.
    """
    try:
        with OpenFile(path) as file:
            stat = file.stat()
            offset = _lines_before(file, min(end, stat.st_size), lines)
            if offset < BLOCK:
                return TailState()
            length = offset % BLOCK
            block = file.read(offset - length, length)
            made = state_at(offset, file.read(0, HEAD), block)
            return structs.replace(made, inode=stat.st_ino)
    except NotFound:
        return TailState()


def verify(path: str | Path, state: TailState) -> bool:
    """Whether the consumed bytes are unchanged; reads them again. NotFound if the file is gone."""
    with OpenFile(path) as file:
        return _unchanged(file, state)


def unfinished_line(
    path: str | Path, state: TailState, *, max_line: int = MAX_LINE_BYTES
) -> bytes | None:
    """The unfinished last line, at `state.offset`, without consuming it."""
    try:
        with OpenFile(path) as file:
            data = file.read(state.offset, max_line + 1)
    except NotFound:
        return None
    return data if data and len(data) <= max_line and b"\n" not in data else None


def _read_on(
    file: OpenFile,
    stat: os.stat_result,
    state: TailState,
    window: int,
    max_line: int,
    block: OpenBlock | None,
) -> TailRead:
    data, oversize, pending = _next(file, state, stat.st_size, window, max_line)
    base = state.offset
    if oversize:
        before = (block or _open_block(file, state)).data
        state = _skip_line(file, state, before, oversize.length + 1)
    elif data:
        state = (block or _open_block(file, state)).advance(state, data)
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
    file: OpenFile, state: TailState, size: int, window: int, max_line: int
) -> tuple[bytes, LineSpan | None, int]:
    """Complete lines after the offset, or an oversize one; and how much of the next was read."""
    # A long unfinished line is not read from its start each time it grows.
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


def _newline(file: OpenFile, at: int, size: int) -> tuple[int, int]:
    """The first newline from `at` on, or -1; and where the search stopped."""
    while at < size and (chunk := file.read(at, _STRIDE)):
        if (found := chunk.find(b"\n")) >= 0:
            return at + found, at
        at += len(chunk)
    return -1, at


def _lines_before(file: OpenFile, end: int, lines: int) -> int:
    """Where the last complete lines before `end` start; 0 if there are fewer."""
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


def _compare(
    file: OpenFile, stat: os.stat_result, state: TailState, *, is_proven: bool
) -> tuple[bool, OpenBlock | None]:
    """Whether it is still the same file; and its open block, if it had to be read."""
    if state.offset == 0:
        return True, None
    if not _looks_same(file, state):
        return False, None
    if stat.st_ino != state.inode:
        return _unchanged(file, state), None
    is_written = stat.st_mtime_ns != state.mtime_ns
    if not is_written and stat.st_size == state.offset + state.pending:
        return True, None
    # Written to and no longer than it was: somebody touched it, or edited it in place.
    if is_written and (stat.st_size == state.size_seen or not is_proven):
        return _unchanged(file, state), None
    block = _open_block(file, state)
    return block.digest == state.open_hash, block


def _looks_same(file: OpenFile, state: TailState) -> bool:
    """The cheap check on every read; a file that shrank has lost its mark."""
    head = file.read(0, state.head_len)
    mark = file.read(state.offset - state.mark_len, state.mark_len)
    return (digest(head), digest(mark)) == (state.head_hash, state.mark_hash)


def _resume(state: TailState, stat: os.stat_result) -> TailState:
    """Forget the unfinished line if it may belong to another file."""
    return state if stat.st_ino == state.inode else structs.replace(state, pending=0)


def _unchanged(file: OpenFile, state: TailState) -> bool:
    chain, rest, at = b"", b"", state.start
    while at < state.offset:
        chunk = file.read(at, min(_STRIDE, state.offset - at))
        if not chunk:
            return False
        chain, rest = fold(chain, rest, chunk)
        at += len(chunk)
    return state.offset == 0 or (chain, digest(rest)) == (state.chain, state.open_hash)


def _skip_line(file: OpenFile, state: TailState, before: bytes, length: int) -> TailState:
    """Consume a line too long for memory, a stride at a time."""
    end = state.offset + length
    while state.offset < end:
        chunk = file.read(state.offset, min(_STRIDE, end - state.offset))
        if not chunk:
            raise SourceError(f"{file.path} shrank while it was being read. Try again.")
        state = advance(state, before, chunk)
        before = (before + chunk)[len(before) + len(chunk) - state.offset % BLOCK :]
    return state


def _open_block(file: OpenFile, state: TailState) -> OpenBlock:
    length = state.offset % BLOCK
    return OpenBlock(file.read(state.offset - length, length))
