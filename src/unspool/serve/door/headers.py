"""What every answer carries: nothing runs but our own files, and nobody frames or sniffs it."""

from collections.abc import Iterable
from typing import Final, TypeAlias

Headers: TypeAlias = list[tuple[bytes, bytes]]

CSP: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    b"require-trusted-types-for 'script'"
)
_ALWAYS: Final[Headers] = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
]
# A route may be stricter about its own answer; it says so itself.
_UNLESS_SAID: Final[Headers] = [
    (b"content-security-policy", CSP),
    (b"cache-control", b"no-store"),
]


def guarded(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """A response's headers with ours; of an `Access-Control-*` nothing is left."""
    ours = {name for name, _ in _ALWAYS}
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in ours and not name.lower().startswith(b"access-control-")
    ]
    said = {name.lower() for name, _ in kept}
    return kept + _ALWAYS + [(name, value) for name, value in _UNLESS_SAID if name not in said]
