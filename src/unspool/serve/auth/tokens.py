"""The secrets of a server, one-time codes, and a count of wrong secrets by address."""

import hmac
import secrets
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from hashlib import sha256
from typing import Final, Literal, TypeAlias

CodeState: TypeAlias = Literal["good", "used", "expired", "unknown"]

_MINUTE_MS: Final = 60_000
_CODE_MS: Final = 10 * _MINUTE_MS
_MAX_CODES: Final = 1_000
_MAX_WRONG_A_MINUTE: Final = 10
_MAX_ADDRESSES: Final = 1_000


def new_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


def new_name() -> str:
    """The name of a home below `localhost`: nobody can guess it."""
    return f"u-{secrets.token_hex(8)}"


class ServerTokens:
    """Only hashes of the tokens are kept, and they are compared in constant time.

    Every browser gets a cookie of its own: an id, and a signature of it that is made with the
    token. So a token that survives a restart keeps its cookies, and one of them can be revoked.
    """

    def __init__(
        self,
        token: str,
        ingest_token: str,
        port: int,
        *,
        revoked: Iterable[str] = (),
        keep_revoked: Callable[[frozenset[str]], None] = lambda ids: None,
    ) -> None:
        self._token, self._ingest = _hash(token), _hash(ingest_token)
        self.cookie_name = f"unspool-{port}"
        self._key = hmac.digest(token.encode(), b"unspool cookies", sha256)
        self._revoked, self._keep_revoked = frozenset(revoked), keep_revoked

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the whole server."""
        return hmac.compare_digest(_hash(given), self._token)

    def is_ingest(self, given: str) -> bool:
        """Whether this is the token that may only post events."""
        return hmac.compare_digest(_hash(given), self._ingest)

    def new_cookie(self, visitor: Hashable = None, address: str = "") -> str:
        """A cookie for one browser; this server has one visitor, and does not note addresses."""
        id = secrets.token_hex(16)
        return f"{id}.{self._signature(id)}"

    def is_cookie(self, given: str) -> bool:
        """Whether this is a cookie that a browser was given, and that was not revoked."""
        id, _, signature = given.partition(".")
        is_ours = hmac.compare_digest(_hash(signature), _hash(self._signature(id)))
        return is_ours and id not in self._revoked

    def revoke(self, cookie: str) -> None:
        """Never accept a cookie again; what is no cookie is not remembered."""
        if self.is_cookie(cookie):
            self._revoked |= {cookie.partition(".")[0]}
            self._keep_revoked(self._revoked)

    def _signature(self, id: str) -> str:
        return hmac.new(self._key, id.encode("utf-8", "surrogateescape"), sha256).hexdigest()


class OneTimeCodes:
    """Codes that sign one browser in, once, within ten minutes.

    They stand in addresses, which stay in a terminal, in a browser's history and, while the
    browser starts, in the list of processes: the token itself must not be in them.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._created: dict[bytes, int] = {}  # oldest first
        self._used: set[bytes] = set()

    def make(self) -> str:
        """A new code."""
        code = secrets.token_hex(16)
        self._created[_hash(code)] = self._now()
        # Old ones are remembered for a while, to tell a code that was used from a wrong one.
        while len(self._created) > _MAX_CODES:
            oldest = next(iter(self._created))
            del self._created[oldest]
            self._used.discard(oldest)
        return code

    def take(self, code: str) -> CodeState:
        """What a code is, and use it if it is good."""
        state = self.state(code)
        if state == "good":
            self._used.add(_hash(code))
        return state

    def state(self, code: str, *, for_ms: int = 0) -> CodeState:
        """Whether a code can be used, now and for some time."""
        created_at = self._created.get(_hash(code))
        if created_at is None:
            return "unknown"
        if _hash(code) in self._used:
            return "used"
        now = self._now()
        return "good" if created_at <= now < created_at + _CODE_MS - for_ms else "expired"


class FailedAttempts:
    """Wrong tokens and codes of the last minute, by address.

    On one machine they slow down guessing, never a request with the right token: all requests come
    from the same address, and nobody may lock its owner out.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._wrong = defaultdict[str, deque[int]](lambda: deque(maxlen=_MAX_WRONG_A_MINUTE))

    def has_too_many(self, address: str) -> bool:
        """Whether there were as many as may be."""
        return self._is_full(address, self._now())

    def is_too_many(self, address: str) -> bool:
        """Count one more, and whether that exceeds the limit."""
        now = self._now()
        if self._is_full(address, now):
            return True
        self._wrong[address].append(now)
        if len(self._wrong) > _MAX_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)), None)
        return False

    def _is_full(self, address: str, now: int) -> bool:
        times = tuple(self._wrong.get(address, ()))
        return sum(_is_minute(now, at) for at in times) >= _MAX_WRONG_A_MINUTE


def _is_minute(now: int, at: int) -> bool:
    return now - _MINUTE_MS < at <= now


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
