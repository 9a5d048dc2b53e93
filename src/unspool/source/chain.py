"""Bytes consumed -> the hashes that prove, later, that they are still there."""

import hashlib

from msgspec import structs

from unspool.model.files import TailState

BLOCK = 64 * 1024
HEAD = 1024
_MARK = 64
_DIGEST = 16


def restarted(state: TailState) -> TailState:
    """The same path from its first byte, as a new generation."""
    return TailState(generation=state.generation + 1)


def begun(offset: int, head: bytes, block: bytes) -> TailState:
    """At a place beyond the first block, nothing consumed; `block` is its block up to there."""
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


def advanced(state: TailState, before: bytes, data: bytes) -> TailState:
    """Consume `data`; `before` is what was consumed of the block it begins in."""
    chain, rest = fold(state.chain, before, data)
    state = _moved(state, before, data, chain, digest(rest))
    if state.head_len == HEAD:
        return state
    # While the head still grows, all that was consumed is in this one block.
    head = (before + data[:HEAD])[:HEAD]
    return structs.replace(state, head_len=len(head), head_hash=digest(head))


class Block:
    """What was consumed of the block that the next byte falls into; it is hashed once."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._hash = hashlib.sha256(data)

    @property
    def digest(self) -> bytes:
        """What stands for it."""
        return self._hash.digest()[:_DIGEST]

    def advanced(self, state: TailState, data: bytes) -> TailState:
        """Consume `data`, as `advanced` does: mostly no more than this one hash goes on."""
        if state.head_len != HEAD or len(self.data) + len(data) >= BLOCK:
            return advanced(state, self.data, data)
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
    """Chain the blocks that are now whole; give the rest of the bytes back."""
    view = memoryview(data)
    while len(before) + len(view) >= BLOCK:
        need = BLOCK - len(before)
        chain = digest(chain, before, view[:need])
        before, view = b"", view[need:]
    return chain, before + bytes(view)


def digest(*parts: bytes | memoryview) -> bytes:
    """Sixteen bytes that stand for these."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.digest()[:_DIGEST]
