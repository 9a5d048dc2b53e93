"""Values as data gives them -> values that PostgreSQL and msgpack take."""

from hashlib import blake2b
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from unspool.store.terms import plain

_LARGEST: Final = 2**63 - 1
# An index entry has room for 2,700 bytes; an honest id has a few dozen.
_LONGEST: Final = 300
_KEYS: Final = frozenset(
    "project_id session_id agent_id tool_use_id message_key model path root name version what"
    " type subtype role event_type uuid key".split()
)


def cleaned(value: Any) -> Any:
    """The same without half characters, NUL, endless numbers and endless names."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-_LARGEST, min(value, _LARGEST))
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {cleaned(name): cleaned(item) for name, item in value.items()}
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return type(value)(*(_named(name, getattr(value, name)) for name in value._fields))
        return tuple(map(cleaned, value))
    if isinstance(value, Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return replace(value, **{name: _named(name, item) for name, item in fields})
    return value


def _named(name: str, value: Any) -> Any:
    clean = cleaned(value)
    return short(clean) if name in _KEYS and isinstance(clean, str) else clean


def short(name: str) -> str:
    """A name that fits into an index: the end of a very long one is its hash."""
    if len(name) <= _LONGEST:
        return name
    return name[: _LONGEST - 32] + blake2b(name.encode(), digest_size=16).hexdigest()


def sendable(text: str) -> str:
    """Text without half characters and NUL, neither of which PostgreSQL takes."""
    return plain(text).replace("\0", "\ufffd")
