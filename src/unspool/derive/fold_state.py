"""What a fold of a transcript remembers, packed, so that reading can go on after a restart.

The uuids of its lines are not in it: the index has them. A state of another version, or one that
cannot be read, is ignored: the file is read again from its start.
"""

from functools import cache
from hashlib import blake2b
from typing import Any, Final, get_args, get_type_hints
from zlib import compress, decompress, error

from msgspec import MsgspecError, Struct
from msgspec.msgpack import Decoder, encode

from unspool.derive.agents.facts import FactsFold
from unspool.derive.reading.repeats import OpenResponses
from unspool.derive.session_facts import SessionFactsFold
from unspool.derive.status import StatusFold

# Raise it when the same lines lead to another state though no field has changed.
_BEHAVIOUR: Final = 2
# Larger than this, reading the file again costs less than writing the state at every append.
_LONGEST: Final = 256 * 1024
# The fastest: a higher one saves no more than a fiftieth.
_LEVEL: Final = 1


class Counters(Struct):
    """What a thread counts."""

    messages: int = 0
    compactions: int = 0
    context: int = 0
    turn: int = 0
    entries: int = 0
    bad: int = 0
    salvaged: int = 0
    oversize: int = 0
    without_uuid: int = 0
    unknown: dict[str, int] = {}


class ThreadState(Struct):
    """A file's own conversation, or an agent that wrote into it."""

    about: SessionFactsFold
    facts: FactsFold
    status: StatusFold
    counters: Counters


class FoldState(Struct):
    """A file up to one of its lines."""

    lines: int
    thread: ThreadState
    inline: dict[str, ThreadState]
    last_agent: str  # the inline agent that wrote last
    responses: OpenResponses
    start: tuple[int, int, bool]  # kind, first time, whether more lines can tell more
    line_at: int  # time of the last line that has one
    version: str  # of Claude Code, by the last message


class _Packed(Struct, array_like=True):
    layout: bytes
    state: FoldState


def pack(state: FoldState) -> bytes:
    """A state as it is stored; nothing where it is too large to be worth it."""
    encoded = encode(_Packed(_layout(), state))
    return compress(encoded, _LEVEL) if len(encoded) <= _LONGEST else b""


def unpack(packed: bytes) -> FoldState | None:
    """A stored state; None where this version of unspool cannot go on from it."""
    try:
        found = _decoder().decode(decompress(packed))
    except (error, MsgspecError, RecursionError, UnicodeError, ValueError):
        return None
    return found.state if found.layout == _layout() else None


@cache
def _decoder() -> Decoder[_Packed]:
    return Decoder(_Packed)


@cache
def _layout() -> bytes:
    """A print of every field of every struct that a state may hold."""
    found: dict[str, str] = {}
    _collect(FoldState, found)
    text = f"{_BEHAVIOUR} {sorted(found.items())}"
    return blake2b(text.encode(), digest_size=8).digest()


def _collect(kind: Any, found: dict[str, str]) -> None:
    for part in get_args(kind):
        _collect(part, found)
    is_named = isinstance(kind, type) and kind.__module__.startswith("unspool.")
    name = f"{kind.__module__}.{kind.__qualname__}" if is_named else ""
    if name and name not in found:
        hints = get_type_hints(kind)
        found[name] = str(hints)
        for hint in hints.values():
            _collect(hint, found)
